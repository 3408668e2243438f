import { useSignal } from '@preact/signals'
import type { UntrustedFile } from '../../../../src/dashboard/contract/config.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { plural } from '../../format.ts'
import { toast } from '../../ui/notice/toasts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'

interface UntrustedProps {
  readonly files: readonly UntrustedFile[]
  readonly onTrusted: () => void
}

/** The files that wait for a person, what they say, and the button. */
export function Untrusted({ files, onTrusted }: UntrustedProps) {
  if (files.length === 0) return null
  return (
    <Panel title="Waiting for your trust" aside={plural(files.length, 'file')}>
      {files.map((file) => (
        <File key={file.path} file={file} onTrusted={onTrusted} />
      ))}
    </Panel>
  )
}

interface FileProps {
  readonly file: UntrustedFile
  readonly onTrusted: () => void
}

function File({ file: { path, message, command }, onTrusted }: FileProps) {
  const isOpen = useSignal(false)
  return (
    <section aria-label={path}>
      <p>{message}</p>
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>Read it</summary>
        {isOpen.value && <Content path={path} onTrusted={onTrusted} />}
      </details>
      <p class="small">
        Or in a shell: <code>{command}</code>
      </p>
    </section>
  )
}

function Content({ path, onTrusted }: { readonly path: string; readonly onTrusted: () => void }) {
  const data = useData(`untrusted ${path}`, async (signal) =>
    ask('GET /config/untrusted', { query: { path }, signal }),
  )

  async function trust(digest: string): Promise<void> {
    await act(async () => {
      try {
        await ask('POST /config/trust', { body: { path, digest } })
      } catch (error) {
        // If it was changed meanwhile, this shows what it says now.
        data.refresh()
        throw error
      }
      toast(`${path} is trusted`, 'ok')
      onTrusted()
    })
  }

  return (
    <Show data={data}>
      {({ does, diff, digest }) => (
        <>
          <ul class="small">
            {does.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <Diff path={path} lines={diff} />
          {isAdmin() && (
            <button type="button" onClick={() => void trust(digest)}>
              Trust exactly this content
            </button>
          )}
        </>
      )}
    </Show>
  )
}
