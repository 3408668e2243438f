import { useSignal } from '@preact/signals'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { query, setQuery } from '../../router.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { Failure } from '../../ui/notice/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from './answer.tsx'
import { Question } from './question.tsx'
import { RulesEditor, parseRules } from './rules-editor.tsx'
import { usePolicyAnswer } from './use-policy-answer.ts'

/** Evaluates the rules in force, or edited rules, for a question; nothing is ever applied. */
export function Playground() {
  const names = useData('agents', async (signal) => ask('GET /agents', { signal }))
  const inForce = useData('policy', async (signal) => ask('GET /policy', { signal }))
  const draft = useSignal<string | undefined>(undefined)
  const { agent = '', server = '', tool = '' } = Object.fromEntries(query.value)
  const parsed = draft.value === undefined ? undefined : parseRules(draft.value)
  const { answer, error } = usePolicyAnswer({ agent, server, tool }, parsed)

  return (
    <Page
      title="Playground"
      lead="What if this agent called that tool? Nothing is called, nothing is changed"
    >
      <div class="playground">
        <div class="playground-ask">
          <Panel title="Question">
            <Question
              known={names.loaded.value.value}
              tools={answer.value?.tools}
              question={{ agent, server, tool }}
              onChange={setQuery}
            />
          </Panel>
          <RulesEditor
            inForce={inForce.loaded.value.value}
            draft={draft.value}
            problem={parsed?.state === 'broken' ? parsed.problem : undefined}
            onChange={(text) => {
              draft.value = text
            }}
          />
        </div>
        <div class="playground-answer" aria-live="polite">
          {error.value !== undefined && <Failure error={error.value} />}
          {agent === '' || server === '' ? (
            <Empty title="Name an agent and a server">The answer follows as you type.</Empty>
          ) : (
            answer.value !== undefined && (
              <Answer answer={answer.value} server={server} tool={tool} />
            )
          )}
        </div>
      </div>
    </Page>
  )
}
