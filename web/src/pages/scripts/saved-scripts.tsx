import { useSignal } from '@preact/signals'
import type { SavedScript } from '../../../../src/dashboard/contract.ts'
import { ask } from '../../api/ask.ts'
import { isAdmin } from '../../api/me.ts'
import { useData } from '../../api/use-data.ts'
import { formatStamp } from '../../format.ts'
import { queried, setQuery } from '../../router.ts'
import { Dialog } from '../../ui/notice/dialog.tsx'
import { Empty } from '../../ui/notice/empty.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Show } from '../../ui/show.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ScriptBadge } from './script-badge.tsx'
import { ScriptForm } from './script-form.tsx'
import { ScriptDetails } from './script-details.tsx'

const REFRESH_MS = 5_000

const COLUMNS: readonly Column<SavedScript>[] = [
  {
    name: 'Script',
    render: ({ name }) => (
      <button type="button" class="link" onClick={() => setQuery({ script: name })}>
        {name}
      </button>
    ),
  },
  { name: 'State', render: (script) => <ScriptBadge script={script} /> },
  { name: 'By', render: ({ author }) => author },
  {
    name: 'Saved',
    render: ({ savedAt }) => (savedAt === '' ? '' : formatStamp(Date.parse(savedAt))),
  },
  { name: 'What it does', render: ({ description }) => description },
]

export function SavedScripts() {
  const data = useData('scripts', async (signal) => ask('GET /scripts', { signal }), REFRESH_MS)
  const isWriting = useSignal(false)
  function proposed(name: string): void {
    isWriting.value = false
    data.refresh()
    setQuery({ script: name })
  }
  return (
    <Panel
      title="Saved scripts"
      flush
      aside={
        isAdmin() && (
          <button type="button" onClick={() => (isWriting.value = true)}>
            New script
          </button>
        )
      }
    >
      <Show data={data}>
        {({ scripts }) =>
          scripts.length === 0 ? (
            <Empty
              title="No script is saved"
              commands={['portolan scripts save <name> file.ts --description "…"']}
            >
              A saved script is a tool of the server <code>scripts</code>.
            </Empty>
          ) : (
            <Table
              label="Saved scripts"
              rows={scripts}
              columns={COLUMNS}
              keyOf={({ state, digest }) => `${state} ${digest}`}
            />
          )
        }
      </Show>
      <ScriptDetails
        name={queried('script') || undefined}
        data={data}
        onClose={() => setQuery({ script: undefined })}
        onProposed={proposed}
      />
      <Dialog
        title="New script"
        side
        open={isWriting.value}
        onClose={() => (isWriting.value = false)}
      >
        <ScriptForm onProposed={proposed} />
      </Dialog>
    </Panel>
  )
}
