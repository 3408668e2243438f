import { useSignal } from '@preact/signals'
import type { History, VersionSummary } from '../../../../src/dashboard/contract/config.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatStamp, plural } from '../../format.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { Diff } from '../../ui/text/diff.tsx'

/** Who changed servers, rules, settings, secrets and trust, when and why; and the way back. */
export function HistoryPage() {
  const data = useData('history', async (signal) => ask('GET /history', { signal }))
  const asked = useSignal<VersionSummary | undefined>(undefined)

  async function rollBack({ version }: VersionSummary): Promise<void> {
    asked.value = undefined
    await act(async () => {
      const done = await ask('POST /history/:version/rollback', {
        params: { version: String(version) },
      })
      if (done.version === null) toast(`Everything is as of version ${version} already`)
      else toast(`As of version ${version} again; this is version ${done.version}`, 'ok')
      data.refresh()
    })
  }

  return (
    <Page
      title="History"
      lead="Every change of the configuration is a version, which can be restored"
    >
      <Show data={data}>
        {(history) => <Body history={history} onRollBack={(version) => (asked.value = version)} />}
      </Show>
      <Dialog
        title={`Back to version ${asked.value?.version}?`}
        open={asked.value !== undefined}
        onClose={() => {
          asked.value = undefined
        }}
      >
        {asked.value !== undefined && <Question version={asked.value} onYes={rollBack} />}
      </Dialog>
    </Page>
  )
}

interface BodyProps {
  readonly history: History
  readonly onRollBack: (version: VersionSummary) => void
}

function Body({ history: { inFiles, versions }, onRollBack }: BodyProps) {
  if (!inFiles)
    return (
      <Empty title="The configuration is not in files" commands={['portolan config history']} />
    )
  if (versions.length === 0)
    return <Empty title="Nothing has been changed yet" commands={['portolan server add']} />
  return (
    <Panel title="Versions" aside={plural(versions.length, 'version')}>
      <ol class="timeline versions">
        {versions.map((version, at) => (
          <li key={version.version}>
            <Version version={version} onRollBack={at === 0 ? undefined : onRollBack} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

interface VersionProps {
  readonly version: VersionSummary
  /** Undefined for the newest, which is in force. */
  readonly onRollBack: BodyProps['onRollBack'] | undefined
}

function Version({ version: summary, onRollBack }: VersionProps) {
  const { version, created_at: at, author, message, files } = summary
  return (
    <>
      <p class="version-line">
        <strong>{version}</strong> {message}{' '}
        <span class="dim">
          {author}
          {at !== null && (
            <>
              {' · '}
              <time dateTime={at}>{formatStamp(Date.parse(at))}</time>
            </>
          )}
        </span>
        {onRollBack !== undefined && isAdmin() && (
          <button type="button" class="quiet" onClick={() => onRollBack(summary)}>
            Back to {version}
          </button>
        )}
      </p>
      {files.length > 0 && (
        <details>
          <summary>{plural(files.length, 'file')} changed</summary>
          {files.map(({ path, diff }) => (
            <Diff key={path} path={path} lines={diff} />
          ))}
        </details>
      )}
    </>
  )
}

interface QuestionProps {
  readonly version: VersionSummary
  readonly onYes: (version: VersionSummary) => Promise<void>
}

function Question({ version, onYes }: QuestionProps) {
  return (
    <>
      <p>
        The files of the data folder and of this folder become as they were after version{' '}
        {version.version}, byte for byte. That is a version too, so it can be taken back.
      </p>
      <p class="form-actions">
        <button type="button" class="primary" onClick={() => void onYes(version)}>
          Restore version {version.version}
        </button>
      </p>
    </>
  )
}
