import { useSignal } from '@preact/signals'
import type { CodeIndex } from '../../../../src/dashboard/contract/builtins.ts'
import { ask } from '../../api/ask.ts'
import { asAgent, isAdmin } from '../../api/me.ts'
import { startJob } from '../../api/start-job.ts'
import { formatAgo, formatWhole } from '../../format.ts'
import { Empty } from '../../ui/notice/empty.tsx'
import { TextField, boundTo } from '../../ui/fields.tsx'
import { Form } from '../../ui/form.tsx'
import { Panel } from '../../ui/panel.tsx'
import { type Column, Table } from '../../ui/table.tsx'

interface CodeIndexesProps {
  readonly indexes: readonly CodeIndex[]
  readonly onStarted: () => void
}

export function CodeIndexes({ indexes, onStarted }: CodeIndexesProps) {
  return (
    <Panel title="Indexes" flush>
      {isAdmin() && <IndexForm onStarted={onStarted} />}
      {indexes.length === 0 ? (
        <Empty title="No index yet" commands={['portolan code index .']}>
          A project is indexed when an agent first searches it, or now:
        </Empty>
      ) : (
        <Table
          label="Indexes"
          rows={indexes}
          columns={COLUMNS}
          keyOf={({ name, source_path: path }) => `${name} ${path}`}
        />
      )}
    </Panel>
  )
}

function IndexForm({ onStarted }: Pick<CodeIndexesProps, 'onStarted'>) {
  const path = useSignal('')
  async function start(): Promise<void> {
    const body = { path: path.value.trim(), ...asAgent() }
    if (!(await startJob(ask('POST /code/index', { body })))) return
    path.value = ''
    onStarted()
  }
  return (
    <Form class="filters inside" submit={start}>
      <TextField label="Index a folder" placeholder="/path/to/project" {...boundTo(path)} />
      <button type="submit" disabled={path.value.trim() === ''}>
        Index
      </button>
    </Form>
  )
}

const COLUMNS: readonly Column<CodeIndex>[] = [
  { name: 'Index', class: 'mono strong', sortBy: ({ name }) => name, render: ({ name }) => name },
  { name: 'Folder', render: ({ source_path: path }) => <code>{path}</code> },
  {
    name: 'Files',
    number: true,
    sortBy: ({ file_count: files }) => files,
    render: ({ file_count: files }) => formatWhole(files),
  },
  {
    name: 'Updated',
    number: true,
    sortBy: ({ updated_at: at }) => at,
    render: ({ updated_at: at }) => formatAgo(Date.parse(at)),
  },
]
