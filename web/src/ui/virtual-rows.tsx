import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export interface VirtualColumn<T> {
  readonly name: string
  readonly class?: string
  readonly render: (row: T) => ComponentChildren
}

interface VirtualRowsProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly VirtualColumn<T>[]
  readonly keyOf: (row: T) => string
  readonly onOpen: (row: T) => void
  /** The class in the style sheet that sets the grid template of the columns. */
  readonly layout: string
  /** Called when the end is near, to fetch more. */
  readonly onEnd?: () => void
  readonly toneOf?: (row: T) => string
}

/** Two lines on a phone, where a row has no room for all columns; the style sheet says the same. */
const PHONE = matchMedia('(max-width: 760px)')
const SPARE_ROWS = 12

/** A table of any length: only the visible rows are rendered. */
export function VirtualRows<T>(props: VirtualRowsProps<T>) {
  const { label, rows, columns, keyOf, onOpen, layout, onEnd, toneOf } = props
  const view = useRef<HTMLDivElement>(null)
  const scroll = useSignal({ top: 0, height: 600 })
  const active = useSignal(0)
  const ROW_PX = PHONE.matches ? 50 : 30

  function measure(): void {
    const element = view.current
    if (element === null) return
    scroll.value = { top: element.scrollTop, height: element.clientHeight }
  }
  useEffect(() => {
    const observer = new ResizeObserver(measure)
    if (view.current !== null) observer.observe(view.current)
    return () => observer.disconnect()
  }, [])

  const { top, height } = scroll.value
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE_ROWS)
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW_PX) + SPARE_ROWS)
  useEffect(() => {
    if (last >= rows.length) onEnd?.()
  }, [last, rows.length])

  function move(by: number): void {
    const next = Math.min(rows.length - 1, Math.max(0, active.value + by))
    active.value = next
    const element = view.current
    if (element === null) return
    const head = ROW_PX
    if (next * ROW_PX < element.scrollTop) element.scrollTop = next * ROW_PX
    else if ((next + 1) * ROW_PX + head > element.scrollTop + element.clientHeight)
      element.scrollTop = (next + 1) * ROW_PX + head - element.clientHeight
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(height / ROW_PX) - 2)
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      j: 1,
      k: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    }
    const by = steps[event.key]
    const row = rows[active.value]
    if (by !== undefined) move(by)
    else if (event.key === 'Enter' && row !== undefined) onOpen(row)
    else return
    event.preventDefault()
  }

  const activeKey = rows[active.value]
  return (
    <div
      ref={view}
      class={`virtual ${layout}`}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={activeKey === undefined ? undefined : `row-${keyOf(activeKey)}`}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="virtual-row virtual-head" aria-rowindex={1}>
        {columns.map((column) => (
          <span key={column.name} role="columnheader" class={column.class}>
            {column.name}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="virtual-body" style={{ height: `${rows.length * ROW_PX}px` }}>
        {rows.slice(first, last).map((row, n) => {
          const index = first + n
          return (
            <div
              key={keyOf(row)}
              id={`row-${keyOf(row)}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === active.value}
              class={`virtual-row ${toneOf?.(row) ?? ''}`}
              style={{ transform: `translateY(${index * ROW_PX}px)` }}
              onClick={() => {
                active.value = index
                onOpen(row)
              }}
            >
              {columns.map((column) => (
                <span key={column.name} role="gridcell" class={column.class}>
                  {column.render(row)}
                </span>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
