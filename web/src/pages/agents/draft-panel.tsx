import { useSignal } from '@preact/signals'
import type { AccessChange, RulesDraft } from '../../../../src/dashboard/contract/agents.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { toast } from '../../ui/notice/toasts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { draft, withdraw } from './draft.ts'

/** What the chosen changes would do, until they are applied or discarded. */
export function DraftPanel({ onApplied }: { readonly onApplied: () => void }) {
  const changes = draft.value
  if (changes.length === 0) return null
  return (
    <Panel title="Draft" aside={plural(changes.length, 'change')}>
      <ul class="draft-changes">
        {changes.map((change) => (
          <li key={sentenceOf(change)}>
            {sentenceOf(change)}{' '}
            <button
              type="button"
              class="quiet"
              aria-label={`Withdraw: ${sentenceOf(change)}`}
              onClick={() => withdraw(change)}
            >
              Withdraw
            </button>
          </li>
        ))}
      </ul>
      <Effects key={JSON.stringify(changes)} changes={changes} onApplied={onApplied} />
    </Panel>
  )
}

interface EffectsProps {
  readonly changes: readonly AccessChange[]
  readonly onApplied: () => void
}

function Effects({ changes, onApplied }: EffectsProps) {
  const busy = useSignal(false)
  const data = useData('draft', async (signal) =>
    ask('POST /rules/draft', { body: { changes }, signal }),
  )

  async function apply({ files }: RulesDraft): Promise<void> {
    busy.value = true
    await act(async () => {
      const digests = Object.fromEntries(files.map(({ path, digest }) => [path, digest]))
      const { versions } = await ask('POST /rules/apply', { body: { changes, digests } })
      draft.value = []
      toast(
        versions.length === 0 ? 'Nothing to change' : `In force as version ${versions.join()}`,
        'ok',
      )
      onApplied()
    })
    busy.value = false
    // After a refusal: the files are others now.
    if (draft.value.length > 0) data.refresh()
  }

  return (
    <>
      <Show data={data}>
        {(effects) => (
          <>
            {effects.files.map(({ path, diff }) => (
              <Diff key={path} path={path} lines={diff} />
            ))}
            {effects.unmet.map((change) => (
              <p key={sentenceOf(change)} class="warn-text">
                Not enough: {sentenceOf(change)}. <code>{change.rule}</code> decides otherwise.
              </p>
            ))}
            <Replayed replay={effects.replay} />
            <p class="draft-actions">
              <button
                type="button"
                class="primary"
                disabled={busy.value}
                onClick={() => void apply(effects)}
              >
                Apply
              </button>
            </p>
          </>
        )}
      </Show>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          draft.value = []
        }}
      >
        Discard all
      </button>
    </>
  )
}

function Replayed({ replay }: { readonly replay: RulesDraft['replay'] }) {
  const { calls, isCut, denied, allowed, asked, undecided } = replay
  const span = `${isCut ? 'the newest ' : ''}${plural(calls, 'call')} of the last 7 days`
  if (denied.length + allowed.length + asked.length + undecided === 0)
    return <p>Replayed on {span}: each would have been decided as it was.</p>
  return (
    <>
      <p>Replayed on {span}:</p>
      <ul>
        {denied.map((each) => (
          <li key={keyOf(each)}>
            would have denied {plural(each.calls, 'call')} of {each.agent} to {targetOf(each)}
          </li>
        ))}
        {allowed.map((each) => (
          <li key={keyOf(each)}>
            would have allowed {plural(each.calls, 'call')} of {each.agent} to {targetOf(each)}
          </li>
        ))}
        {asked.map(({ agent, rule, calls: count }) => (
          <li key={`${agent} ${rule}`}>
            would have asked about {plural(count, 'call')} of {agent}, by <code>{rule}</code>
          </li>
        ))}
        {undecided > 0 && (
          <li>
            cannot say for {plural(undecided, 'call')}: <code>audit.arguments</code> was off, and
            the arguments decide
          </li>
        )}
      </ul>
    </>
  )
}

type Difference = RulesDraft['replay']['denied'][number]

function keyOf({ agent, server, tool, now }: Difference): string {
  return [agent, server, tool, now].join(' ')
}

function targetOf({ server, tool }: Pick<Difference, 'server' | 'tool'>): string {
  return tool === undefined ? server : `${server}/${tool}`
}

function sentenceOf({ agent, server, tool, effect, when }: AccessChange): string {
  const sentence = `${effect} ${agent} ${targetOf({ server, tool })}`
  return when === undefined ? sentence : `${sentence} if ${JSON.stringify(when)}`
}
