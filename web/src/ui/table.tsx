import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly name: string
  readonly render: (row: T) => ComponentChildren
  /** Aligns numbers to the right. */
  readonly number?: boolean
  readonly class?: string
  /** The sort key of the column; without it, the column cannot be sorted. */
  readonly sortBy?: (row: T) => number | string
}

interface TableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
}

interface Order {
  readonly column: string
  readonly up: boolean
}

/** A plain table, for lists of up to a few hundred rows. */
export function Table<T>({ label, rows, columns, keyOf }: TableProps<T>) {
  const order = useSignal<Order | undefined>(undefined)
  const sorted = sort(rows, columns, order.value)
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Header
                key={column.name}
                column={column}
                order={order.value}
                onSort={(next) => {
                  order.value = next
                }}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeaderProps<T> {
  readonly column: Column<T>
  readonly order: Order | undefined
  readonly onSort: (order: Order) => void
}

function Header<T>({ column, order, onSort }: HeaderProps<T>) {
  const { name, sortBy } = column
  const side = classOf(column)
  if (sortBy === undefined) return <th class={side}>{name}</th>
  const mine = order?.column === name
  const words = order?.up === true ? 'ascending' : 'descending'
  return (
    <th class={side} aria-sort={mine ? words : 'none'}>
      <button
        type="button"
        class="sort"
        onClick={() => onSort({ column: name, up: mine ? !order.up : column.number !== true })}
      >
        {name}
        <span aria-hidden="true">{mine ? (order.up ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  )
}

function classOf<T>({ number = false, class: extra = '' }: Column<T>): string | undefined {
  return [number ? 'number' : '', extra].join(' ').trim() || undefined
}

function sort<T>(rows: readonly T[], columns: readonly Column<T>[], order: Order | undefined) {
  const by = columns.find(({ name }) => name === order?.column)?.sortBy
  if (by === undefined || order === undefined) return rows
  const sign = order.up ? 1 : -1
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)]
    return sign * (a < b ? -1 : a > b ? 1 : 0)
  })
}
