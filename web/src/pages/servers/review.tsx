import type { HeldChange, ServerReview } from '../../../../src/dashboard/contract/servers.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatAgo, plural } from '../../format.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { visible } from '../../ui/text/visible.ts'

interface ReviewProps {
  readonly server: string
  readonly onDecided: () => void
}

/** What has changed at a server since it was accepted, and is held until a person decides. */
export function Review({ server, onDecided }: ReviewProps) {
  const data = useData(`review ${server}`, async (signal) =>
    ask('GET /servers/:server/review', { params: { server }, signal }),
  )
  async function decide(accept: boolean, changes: readonly HeldChange[]): Promise<void> {
    await act(async () => {
      const body = { accept, digests: changes.map(({ digest }) => digest) }
      const { decided } = await ask('POST /servers/:server/review', { params: { server }, body })
      toast(`${accept ? 'Accepted' : 'Rejected'}: ${decided.join(', ') || 'nothing'}`)
      data.refresh()
      onDecided()
    })
  }
  return <Show data={data}>{(review) => <Changes review={review} decide={decide} />}</Show>
}

type Decide = (accept: boolean, changes: readonly HeldChange[]) => Promise<void>

function Changes({ review, decide }: { readonly review: ServerReview; readonly decide: Decide }) {
  const { changes, blocked, problem, lock } = review
  return (
    <>
      {[blocked, problem].map(
        (text) =>
          text !== null && (
            <p key={text} class="failure">
              {text}
            </p>
          ),
      )}
      {lock !== null && (
        <p class="small">
          What you accept is also written to <code>{lock}</code>.
        </p>
      )}
      {changes.length === 0 && (
        <Empty title="Nothing is held">
          A tool whose text or schema changes at the server is held here until a person has read it.
        </Empty>
      )}
      {changes.length > 1 && (
        <Buttons what={`all ${changes.length} changes`} changes={changes} decide={decide} />
      )}
      {changes.map((change) => (
        <section key={change.digest} class="held" aria-label={`${change.kind} ${change.name}`}>
          <h3>
            {change.kind} <code>{visible(change.name)}</code>{' '}
            {change.rejected && <Badge tone="bad">rejected</Badge>}
          </h3>
          <ul class="small">
            {change.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          <p class="small">
            Since {formatAgo(Date.parse(change.since))}. Until you accept it, agents get{' '}
            {change.hold === 'text' ? 'the text that was accepted' : 'nothing of it'}.
          </p>
          <Diff path={`${change.kind} ${change.name}`} lines={change.diff} />
          <Buttons what={change.name} changes={[change]} decide={decide} />
        </section>
      ))}
      {changes.length > 0 && !isAdmin() && (
        <p class="small">{plural(changes.length, 'change')} for an admin to decide.</p>
      )}
    </>
  )
}

interface ButtonsProps {
  readonly what: string
  readonly changes: readonly HeldChange[]
  readonly decide: Decide
}

function Buttons({ what, changes, decide }: ButtonsProps) {
  if (!isAdmin()) return null
  return (
    <p class="buttons">
      <button type="button" class="primary" onClick={() => void decide(true, changes)}>
        Accept {visible(what)}
      </button>
      <button type="button" class="danger" onClick={() => void decide(false, changes)}>
        Reject {visible(what)}
      </button>
    </p>
  )
}
