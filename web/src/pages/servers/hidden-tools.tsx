import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { toast } from '../../ui/notice/toasts.tsx'
import { visible } from '../../ui/text/visible.ts'
import { hiddenIn, toolWordsIn } from './tool-words-in.ts'

interface HiddenToolsProps {
  readonly server: string
  readonly onChanged: () => void
}

/** The tools that the entry hides, to show them again. */
export function HiddenTools({ server, onChanged }: HiddenToolsProps) {
  const data = useData(`hidden ${server}`, async (signal) =>
    ask('GET /servers/:server/entry', { params: { server }, signal }),
  )
  const { entry = '{}' } = data.loaded.value.value ?? {}
  const hidden = hiddenIn(entry)
  if (hidden.length === 0) return null

  async function show(tool: string): Promise<void> {
    await act(async () => {
      const body = { ...toolWordsIn(entry, tool), hidden: null }
      await ask('POST /servers/:server/tools/:tool', { params: { server, tool }, body })
      toast(`Agents see ${tool} again`)
      data.refresh()
      onChanged()
    })
  }

  return (
    <details open>
      <summary>{plural(hidden.length, 'hidden tool')}</summary>
      <ul class="unused" aria-label="Hidden tools">
        {hidden.map((tool) => (
          <li key={tool}>
            <code>{visible(tool)}</code>
            {isAdmin() && (
              <button type="button" class="quiet" onClick={() => void show(tool)}>
                Show {visible(tool)} again
              </button>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}
