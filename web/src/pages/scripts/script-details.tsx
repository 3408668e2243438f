import { useSignal } from '@preact/signals'
import type { SavedScriptVersion, ScriptDecision } from '../../../../src/dashboard/contract.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatStamp } from '../../format.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Show } from '../../ui/show.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { ScriptBadge } from './script-badge.tsx'

interface ScriptDetailsProps {
  readonly name: string | undefined
  readonly onClose: () => void
  /** Called after a decision, because the list is then outdated. */
  readonly onChanged: () => void
}

/** All versions of a script, newest first, to read and to approve or reject. */
export function ScriptDetails({ name, onClose, onChanged }: ScriptDetailsProps) {
  return (
    <Dialog title={name ?? 'Script'} side open={name !== undefined} onClose={onClose}>
      {name !== undefined && (
        <Versions key={name} name={name} onChanged={onChanged} onClose={onClose} />
      )}
    </Dialog>
  )
}

type VersionsProps = ScriptDetailsProps & { readonly name: string }

function Versions({ name, onChanged, onClose }: VersionsProps) {
  const data = useData(name, async (signal) =>
    ask('GET /scripts/:name', { params: { name }, signal }),
  )
  async function decide(body: ScriptDecision): Promise<void> {
    await act(async () => {
      const { message } = await ask('POST /scripts/:name/decide', { params: { name }, body })
      toast(message)
      onChanged()
      if (body.action === 'remove') onClose()
      else data.refresh()
    })
  }
  return (
    <Show data={data}>
      {({ versions }) => (
        <>
          {versions.map((script) => (
            <Version key={script.version} script={script} decide={decide} />
          ))}
          {isAdmin() && <Remove onRemove={() => void decide({ action: 'remove' })} />}
        </>
      )}
    </Show>
  )
}

interface VersionProps {
  readonly script: SavedScriptVersion
  readonly decide: (decision: ScriptDecision) => Promise<void>
}

function Version({ script, decide }: VersionProps) {
  const { version, description, author, createdAt, decidedBy, source, inputSchema } = script
  const { isActive, state, digest } = script
  return (
    <section aria-label={`Version ${version}`}>
      <h3>
        Version {version} <ScriptBadge script={script} />
      </h3>
      <p>{description}</p>
      <p class="small">
        By {author}, {formatStamp(Date.parse(createdAt))}
        {decidedBy !== null && `; ${state} by ${decidedBy}`}
      </p>
      <pre class="block" tabIndex={0} aria-label={`Source of version ${version}`}>
        {source}
      </pre>
      <details>
        <summary>Input schema</summary>
        <pre class="block" tabIndex={0} aria-label={`Input schema of version ${version}`}>
          {inputSchema}
        </pre>
      </details>
      {isAdmin() && (
        <div class="moderate" role="group" aria-label={`Decide about version ${version}`}>
          {!isActive && (
            <button type="button" onClick={() => void decide({ action: 'approve', digest })}>
              {state === 'approved' ? 'Go back to it' : 'Approve'}
            </button>
          )}
          {state !== 'rejected' && (
            <button type="button" onClick={() => void decide({ action: 'reject', version })}>
              Reject
            </button>
          )}
        </div>
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
        {sure.value ? 'Remove for good?' : 'Remove with all versions'}
      </button>
    </p>
  )
}
