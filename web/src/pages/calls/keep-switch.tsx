import type { Capture } from '../../../../src/dashboard/contract/calls.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatBytes, plural } from '../../format.ts'
import { toast } from '../../ui/notice/toasts.tsx'

const REFRESH_MS = 5_000

/** Turns the capture of arguments and results on, or off, which deletes them. */
export function KeepSwitch() {
  const data = useData('capture', async (signal) => ask('GET /capture', { signal }), REFRESH_MS)
  const capture = data.loaded.value.value
  if (capture === undefined || !isAdmin()) return null
  async function turn(on: boolean): Promise<void> {
    await act(async () => {
      await ask('POST /capture', { body: { on } })
      toast(on ? 'Arguments and results are kept from now on' : 'What was kept is deleted')
    })
    data.refresh()
  }
  return (
    <p class="keep">
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={capture.on}
          onChange={(event) => void turn(event.currentTarget.checked)}
        />{' '}
        Keep arguments and results
      </label>{' '}
      <span class="dim">{describe(capture)}</span>
    </p>
  )
}

function describe({ on, calls, bytes }: Capture): string {
  if (!on) return 'Off: a call shows who called what, and how it ended.'
  return `${plural(calls, 'call')}, ${formatBytes(bytes)}: in memory only, secrets hidden, for admins. The oldest go first.`
}
