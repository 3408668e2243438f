import { useSignal } from '@preact/signals'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { toast } from '../../ui/notice/toasts.tsx'

interface RemoveServerProps {
  readonly name: string
  readonly file: string
  readonly onRemoved: () => void
}

/** Removes the entry of a server from its file, after a question; a version can be taken back. */
export function RemoveServer({ name, file, onRemoved }: RemoveServerProps) {
  const asking = useSignal(false)
  async function remove(): Promise<void> {
    asking.value = false
    await act(async () => {
      const { version } = await ask('POST /servers/:server/remove', { params: { server: name } })
      toast(
        `${name} is removed${version === null ? '' : ` (version ${version}; History takes it back)`}`,
      )
      onRemoved()
    })
  }
  return (
    <>
      <button type="button" onClick={() => (asking.value = true)}>
        Remove
      </button>
      <Dialog title={`Remove ${name}?`} open={asking.value} onClose={() => (asking.value = false)}>
        <p>
          Its entry in <code>{file}</code> is removed, and its processes end once their calls have
          ended. <a href="/history">History</a> can take this back.
        </p>
        <p class="buttons">
          <button type="button" class="danger" onClick={() => void remove()}>
            Remove {name}
          </button>
        </p>
      </Dialog>
    </>
  )
}
