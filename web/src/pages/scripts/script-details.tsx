import { useSignal } from '@preact/signals'
import type { SavedScript, ScriptDecision } from '../../../../src/dashboard/contract.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import type { Data } from '../../api/use-data.ts'
import { formatStamp } from '../../format.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Show } from '../../ui/show.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Highlighted } from '../../ui/text/highlighted.tsx'
import { ScriptForm } from './script-form.tsx'
import { ScriptBadge } from './script-badge.tsx'

interface ScriptDetailsProps {
  readonly name: string | undefined
  readonly data: Data<{ readonly scripts: readonly SavedScript[] }>
  readonly onClose: () => void
  readonly onProposed: (name: string) => void
}

/** A script and the proposals of its name, to read and to decide about. */
export function ScriptDetails({ name, data, onClose, onProposed }: ScriptDetailsProps) {
  async function decide(body: ScriptDecision): Promise<void> {
    await act(async () => {
      const { message } = await ask('POST /scripts/decide', { body })
      toast(message)
      data.refresh()
    })
  }
  return (
    <Dialog title={name ?? 'Script'} side open={name !== undefined} onClose={onClose}>
      <Show data={data}>
        {({ scripts }) =>
          scripts
            .filter((script) => script.name === name)
            .map((script) => (
              <Details
                key={`${script.state} ${script.digest}`}
                script={script}
                decide={(decision) => void decide(decision)}
                onProposed={onProposed}
              />
            ))
        }
      </Show>
    </Dialog>
  )
}

interface DetailsProps {
  readonly script: SavedScript
  readonly decide: (decision: ScriptDecision) => void
  readonly onProposed: (name: string) => void
}

function Details({ script, decide, onProposed }: DetailsProps) {
  const { name, digest, state, description, author, savedAt, approvedBy, source } = script
  return (
    <section aria-label={`${state} ${digest}`}>
      <h3>
        <code>{digest}</code> <ScriptBadge script={script} />
      </h3>
      <p>{description}</p>
      <p class="small">
        By {author || 'unknown'}
        {savedAt !== '' && `, ${formatStamp(Date.parse(savedAt))}`}
        {approvedBy !== undefined && `; approved by ${approvedBy}`}
      </p>
      <pre class="block" tabIndex={0} aria-label={`Source of ${digest}`}>
        <Highlighted text={source} />
      </pre>
      <details>
        <summary>Input schema</summary>
        <pre class="block" tabIndex={0} aria-label={`Input schema of ${digest}`}>
          {JSON.stringify(script.inputSchema, null, 2)}
        </pre>
      </details>
      {isAdmin() && state === 'proposed' && (
        <div class="moderate" role="group" aria-label={`Decide about ${digest}`}>
          <button type="button" onClick={() => decide({ action: 'approve', script: digest })}>
            Approve
          </button>
          <button type="button" onClick={() => decide({ action: 'reject', script: digest })}>
            Reject
          </button>
        </div>
      )}
      {isAdmin() && state === 'approved' && (
        <>
          <details class="edit-script">
            <summary>Edit</summary>
            <ScriptForm from={script} onProposed={onProposed} />
          </details>
          <Remove onRemove={() => decide({ action: 'remove', script: name })} />
        </>
      )}
    </section>
  )
}

/** Takes two clicks, because removing cannot be undone. */
function Remove({ onRemove }: { readonly onRemove: () => void }) {
  const sure = useSignal(false)
  return (
    <p>
      <button
        type="button"
        class="danger"
        onClick={() => {
          if (sure.value) onRemove()
          sure.value = !sure.value
        }}
      >
        {sure.value ? 'Remove for good?' : 'Remove'}
      </button>
    </p>
  )
}
