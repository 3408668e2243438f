import { useSignal } from '@preact/signals'
import type {
  ApprovalAnswer,
  ApprovalView,
  RuleChange,
} from '../../../../src/dashboard/contract/approvals.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { useData } from '../../api/use-data.ts'
import { formatStamp, plural } from '../../format.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'

const LOOK_EVERY_MS = 2_000
const MINUTES = 30

/** Calls that a rule wants a person to see first, and what was answered. */
export function Approvals() {
  const data = useData(
    'approvals',
    async (signal) => ask('GET /approvals', { signal }),
    LOOK_EVERY_MS,
  )
  async function answer({ id }: ApprovalView, body: ApprovalAnswer): Promise<void> {
    await act(async () => {
      await ask('POST /approvals/:id/answer', { params: { id }, body })
      toast(body.approve ? 'Approved' : 'Denied', body.approve ? 'ok' : undefined)
      data.refresh()
    })
  }
  return (
    <Page title="Approvals" lead="Calls that a rule wants a person to see before they are made">
      <Notices />
      <Show data={data}>{({ approvals }) => <Body approvals={approvals} onAnswer={answer} />}</Show>
    </Page>
  )
}

/** Offers notices of the browser, which asks its user itself. */
function Notices() {
  const state = useSignal(globalThis.Notification?.permission)
  if (state.value !== 'default') return null
  return (
    <p>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          void Notification.requestPermission().then((given) => (state.value = given))
        }}
      >
        Notify me of new questions
      </button>
    </p>
  )
}

interface BodyProps {
  readonly approvals: readonly ApprovalView[]
  readonly onAnswer: (approval: ApprovalView, answer: ApprovalAnswer) => Promise<void>
}

function Body({ approvals, onAnswer }: BodyProps) {
  const waiting = approvals.filter(({ state }) => state === 'pending')
  const past = approvals.filter(({ state }) => state !== 'pending')
  if (approvals.length === 0)
    return <Empty title="No call has waited for approval" commands={['portolan approvals watch']} />
  return (
    <>
      <Panel title="Waiting" aside={plural(waiting.length, 'call')}>
        {waiting.length === 0 && <p class="dim">Nothing waits now.</p>}
        {waiting.map((each) => (
          <Waiting key={each.id} approval={each} onAnswer={onAnswer} />
        ))}
      </Panel>
      {past.length > 0 && (
        <Panel title="Answered" aside={plural(past.length, 'call')}>
          <ol class="timeline">
            {past.map((each) => (
              <li key={each.id}>
                <strong>{each.state}</strong> {each.agent}: {each.server}.{each.tool}{' '}
                <span class="dim">
                  {each.answeredBy ?? 'nobody'} · {formatStamp(Date.parse(each.createdAt))}
                  {each.reason !== null && ` · ${each.reason}`}
                </span>
              </li>
            ))}
          </ol>
        </Panel>
      )}
    </>
  )
}

interface WaitingProps {
  readonly approval: ApprovalView
  readonly onAnswer: BodyProps['onAnswer']
}

function Waiting({ approval, onAnswer }: WaitingProps) {
  const reason = useSignal('')
  const { agent, person, client, folder, server, tool, rule, mayAnswer } = approval
  return (
    <article class="approval" aria-label={`${agent}: ${server}.${tool}`}>
      <h3>
        {agent} wants to call {server}.{tool}
      </h3>
      <p class="dim">
        {client !== null && `${client}, `}for {person}
        {folder !== null && `, in ${folder}`} · {rule}
      </p>
      <Arguments json={approval.arguments} />
      {approval.diff.length > 0 && <Diff path="The change" lines={approval.diff} />}
      {approval.mayBeAlways && <Always approval={approval} onAnswer={onAnswer} />}
      {mayAnswer ? (
        <p class="form-actions">
          <button
            type="button"
            class="primary"
            onClick={() => void onAnswer(approval, { approve: true })}
          >
            Approve once
          </button>
          <button
            type="button"
            onClick={() => void onAnswer(approval, { approve: true, minutes: MINUTES })}
          >
            These arguments for {MINUTES} minutes
          </button>
          <input
            aria-label="Reason"
            placeholder="Reason, for the agent"
            value={reason.value}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
          <button
            type="button"
            class="danger"
            onClick={() => void onAnswer(approval, { approve: false, reason: reason.value })}
          >
            Deny
          </button>
        </p>
      ) : (
        <p class="dim">
          This is not for you to answer. `portolan dashboard` opens the pages signed in.
        </p>
      )}
    </article>
  )
}

/** Shows what "always" changes in the rules, and then asks whether to. */
function Always({ approval, onAnswer }: WaitingProps) {
  const change = useSignal<Pick<RuleChange, 'path' | 'diff'> | undefined>(undefined)
  const { id } = approval
  const show = async () =>
    act(async () => {
      change.value = await ask('GET /approvals/:id/always', { params: { id } })
    })
  if (change.value === undefined)
    return (
      <button type="button" onClick={() => void show()}>
        Always…
      </button>
    )
  return (
    <>
      <Diff path={change.value.path} lines={change.value.diff} />
      <button
        type="button"
        onClick={() => void onAnswer(approval, { approve: true, always: true })}
      >
        Approve, and change the rules
      </button>
    </>
  )
}

const FOLDED = 2_000

function Arguments({ json }: { readonly json: string | null }) {
  if (json === null) return null
  const text = pretty(json)
  if (text.length <= FOLDED) return <pre class="json">{text}</pre>
  return (
    <details>
      <summary>{plural(text.length, 'character')} of arguments</summary>
      <pre class="json">{text}</pre>
    </details>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2)
  } catch {
    return json
  }
}
