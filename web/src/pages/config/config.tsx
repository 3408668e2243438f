import { useSignal } from '@preact/signals'
import type { ConfigFile, ConfigView } from '../../../../src/dashboard/contract/config.ts'
import { act } from '../../api/act.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatAgo, plural } from '../../format.ts'
import { Badge } from '../../ui/figures/badge.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/notice/toasts.tsx'
import { ReloadHistory } from './reload-history.tsx'
import { Settings } from './settings.tsx'
import { Untrusted } from './untrusted.tsx'

/** The files in force, their problems, and the outcome of each reload. */
export function ConfigPage() {
  const data = useData('config', async (signal) => ask('GET /config', { signal }), 2_000)
  const busy = useSignal(false)

  async function reload(): Promise<void> {
    busy.value = true
    await act(async () => {
      const { reload: done } = await ask('POST /config/reload')
      // Changes and problems are shown to all readers; see api/live.ts.
      if (done.outcome === 'unchanged') toast('Reload: unchanged', 'ok')
      data.refresh()
    })
    busy.value = false
  }

  return (
    <Page
      title="Config"
      lead="Files are watched: save one, and it is in force a moment later. In a folder that you have not called yours, what grants more waits for your trust"
      actions={
        isAdmin() && (
          <button type="button" disabled={busy.value} onClick={() => void reload()}>
            Reload now
          </button>
        )
      }
    >
      <Show data={data}>{(view) => <Body view={view} onTrusted={data.refresh} />}</Show>
    </Page>
  )
}

interface BodyProps {
  readonly view: ConfigView
  readonly onTrusted: () => void
}

function Body({ view, onTrusted }: BodyProps) {
  return (
    <>
      <Untrusted files={view.untrusted} onTrusted={onTrusted} />
      {view.warnings.length > 0 && (
        <ul class="notes" aria-label="Warnings">
          {view.warnings.map((warning) => (
            <li key={warning} class="warning">
              {warning}
            </li>
          ))}
        </ul>
      )}
      <Panel title="Files" flush>
        <Table
          label="Files"
          rows={view.files}
          columns={FILES}
          keyOf={({ kind, path }) => `${kind} ${path ?? ''}`}
        />
      </Panel>
      <div class="config-grid">
        <ReloadHistory history={view.history} />
        <Settings settings={view.settings} />
      </div>
    </>
  )
}

const PURPOSES: Readonly<Record<ConfigFile['kind'], string>> = {
  mcp: 'Servers',
  rules: 'Rules',
  settings: 'Settings',
}

const DEFAULT_NAMES: Readonly<Record<ConfigFile['kind'], string>> = {
  mcp: '.mcp.json',
  rules: '.mcp-gateway-rules.json',
  settings: 'portolan.yaml',
}

const FILES: readonly Column<ConfigFile>[] = [
  { name: 'What', class: 'strong', render: ({ kind }) => PURPOSES[kind] },
  {
    name: 'File',
    render: ({ path, level, kind, lastError, warnings, changes }) => (
      <>
        {path === null ? (
          <span class="dim">
            none; would be <code>{DEFAULT_NAMES[kind]}</code>
          </span>
        ) : (
          <code>{path}</code>
        )}
        {level === 'user' && <span class="sub">applies in every folder</span>}
        {lastError !== null && <span class="sub bad-text">{lastError}</span>}
        {warnings.map((warning) => (
          <span key={warning} class="sub warn-text">
            {warning}
          </span>
        ))}
        {changes?.inForce.map((change) => (
          <span key={change} class="sub">
            applies now: {change}
          </span>
        ))}
        {changes?.waiting.map((change) => (
          <span key={change} class="sub">
            waits: {change}
          </span>
        ))}
      </>
    ),
  },
  {
    name: 'State',
    render: ({ path, lastError, changes }) =>
      path === null ? (
        <Badge tone="idle">Absent</Badge>
      ) : changes !== null && changes.waiting.length > 0 ? (
        <Badge tone="warn">{plural(changes.waiting.length, 'change')} waiting for trust</Badge>
      ) : lastError === null ? (
        <Badge tone="ok">In force</Badge>
      ) : (
        <Badge tone="bad">Last good one in force</Badge>
      ),
  },
  {
    name: 'Last read',
    number: true,
    render: ({ lastSuccess }) =>
      lastSuccess === null ? 'at the start' : formatAgo(Date.parse(lastSuccess)),
  },
  {
    name: 'Read again',
    number: true,
    render: ({ attempts, successes }) =>
      attempts === successes ? plural(attempts, 'time') : `${attempts} times, ${successes} well`,
  },
]
