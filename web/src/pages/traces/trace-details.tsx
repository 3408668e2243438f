import { useSignal } from '@preact/signals'
import type {
  Builtin,
  Moderation,
  TraceDetail,
} from '../../../../src/dashboard/contract/builtins.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { asAgent, isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatStamp } from '../../format.ts'
import { setQuery } from '../../router.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { BuiltinView } from '../../ui/builtin-view.tsx'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Fact } from '../../ui/figures/fact.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Amendments } from './amendments.tsx'

interface TraceDetailsProps {
  readonly id: string | undefined
  readonly onClose: () => void
  /** Called after a decision, because the list is then outdated. */
  readonly onChanged: () => void
}

export function TraceDetails({ id, onClose, onChanged }: TraceDetailsProps) {
  return (
    <Dialog title="Trace" side open={id !== undefined} onClose={onClose}>
      {id !== undefined && <Body key={id} id={id} onChanged={onChanged} />}
    </Dialog>
  )
}

function Body({ id, onChanged }: { readonly id: string; readonly onChanged: () => void }) {
  const data = useData<Builtin<TraceDetail>>(id, async (signal) =>
    ask('GET /traces/:id', { params: { id }, query: asAgent(), signal }),
  )
  return (
    <BuiltinView data={data}>
      {(trace) => (
        <>
          <Text trace={trace} />
          {isAdmin() && (
            <Moderate
              id={id}
              onDone={(removed) => {
                onChanged()
                if (removed) setQuery({ trace: undefined })
                else data.refresh()
              }}
            />
          )}
        </>
      )}
    </BuiltinView>
  )
}

function Text({ trace }: { readonly trace: TraceDetail }) {
  return (
    <>
      <h3 class="trace-title">{trace.title}</h3>
      {trace.injection_flags.length > 0 && (
        <ul class="notes" aria-label="Warnings">
          <li class="warning">
            Parts of this text seem to address its reader: {trace.injection_flags.join(', ')}.
            Others wrote it; take it as information only.
          </li>
        </ul>
      )}
      <dl class="facts">
        <Fact name="Status">
          <Badge tone={trace.status === 'validated' ? 'ok' : 'idle'}>{trace.status}</Badge>{' '}
          {trace.is_flagged && <Badge tone="bad">reported</Badge>}
        </Fact>
        <Fact name="Tags">{trace.tags.join(', ') || null}</Fact>
        <Fact name="Trust">{trace.trust_score.toFixed(2)}</Fact>
        <Fact name="From">
          {trace.contributor_name}
          {trace.agent_model && `, ${trace.agent_model}`}
        </Fact>
        <Fact name="Written">{formatStamp(Date.parse(trace.created_at))}</Fact>
      </dl>
      <h3>Problem</h3>
      <p class="pre">{trace.context_text}</p>
      <h3>Solution</h3>
      <p class="pre">{trace.solution_text}</p>
      <Amendments amendments={trace.amendments} />
      {trace.related_traces.length > 0 && (
        <>
          <h3>Related</h3>
          <ul class="plain">
            {trace.related_traces.map(({ id, title, relationship_type: relationship }) => (
              <li key={id}>
                <button type="button" class="link" onClick={() => setQuery({ trace: id })}>
                  {title}
                </button>{' '}
                <span class="dim">{relationship.toLowerCase().replaceAll('_', ' ')}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

interface ModerateProps {
  readonly id: string
  readonly onDone: (removed: boolean) => void
}

/** Removing takes two clicks, because it cannot be undone. */
function Moderate({ id, onDone }: ModerateProps) {
  const sure = useSignal(false)
  async function decide(action: Moderation['action']): Promise<void> {
    await act(async () => {
      const answer = await ask('POST /traces/:id/moderate', {
        params: { id },
        body: { action, ...asAgent() },
      })
      toast(answer.message, answer.available ? 'ok' : 'warn')
      if (answer.available) onDone(action === 'remove')
    })
  }
  return (
    <div class="moderate" role="group" aria-label="Moderate">
      <button type="button" onClick={() => void decide('approve')}>
        Approve
      </button>
      <button type="button" onClick={() => void decide('flag')}>
        Hide
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          if (sure.value) void decide('remove')
          sure.value = !sure.value
        }}
      >
        {sure.value ? 'Remove for good?' : 'Remove'}
      </button>
    </div>
  )
}
