import { useSignal } from '@preact/signals'
import type { Setting } from '../../../../src/dashboard/contract/config.ts'
import { plural } from '../../format.ts'
import { SearchField, Segments, boundTo } from '../../ui/fields.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Prose } from '../../ui/text/prose.tsx'
import { type Column, Table } from '../../ui/table.tsx'

const KINDS = [
  { value: 'all', name: 'All' },
  { value: 'set', name: 'Set here' },
]

/** Every setting in effect; the gateway never sends secrets. */
export function Settings({ settings }: { readonly settings: readonly Setting[] }) {
  const text = useSignal('')
  const kind = useSignal('all')
  const rows = settings.filter(
    ({ path, description, isDefault }) =>
      (kind.value === 'all' || !isDefault) &&
      `${path} ${description ?? ''}`.toLowerCase().includes(text.value.toLowerCase()),
  )
  return (
    <Panel title="Effective settings" flush aside={plural(rows.length, 'setting')}>
      <div class="filters inside">
        <SearchField label="Filter settings" {...boundTo(text)} />
        <Segments
          label="Which settings"
          choices={KINDS}
          value={kind.value}
          onChange={(value) => {
            kind.value = value
          }}
        />
      </div>
      {rows.length === 0 ? (
        <p class="small inset">
          {text.value === '' ? 'Nothing differs from the defaults.' : 'No setting matches.'}
        </p>
      ) : (
        <Table
          label="Effective settings"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ path }) => path}
        />
      )}
    </Panel>
  )
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    sortBy: ({ path }) => path,
    render: ({ path, description }) => (
      <>
        <span class="mono strong">{path}</span>
        {description !== null && (
          <span class="sub lines">
            <Prose text={description} />
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Value',
    render: ({ value, isDefault }) => (
      <code class={isDefault ? 'dim value' : 'value'}>
        {value === undefined ? '–' : JSON.stringify(value)}
      </code>
    ),
  },
]
