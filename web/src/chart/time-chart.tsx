import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatClock, formatMinute, formatStamp, formatUtcDay } from '../format.ts'
import { Legend } from './legend.tsx'
import { drawBars, drawLine, drawStack } from './draw.tsx'
import { niceTicks } from './nice-ticks.ts'
import { timeTicks } from './time-ticks.ts'

export interface ChartLine {
  readonly name: string
  /** A chart colour of the style sheet. */
  readonly tint: string
  readonly values: readonly (number | null)[]
  /** The legend's text while the pointer is elsewhere. */
  readonly sum?: string
}

interface TimeChartProps {
  readonly label: string
  readonly kind: 'bars' | 'lines' | 'stack'
  readonly lines: readonly ChartLine[]
  readonly fromMs: number
  readonly stepMs: number
  /** How many values there is room for. */
  readonly room: number
  readonly format: (value: number) => string
  readonly height?: number
  /** Shows the legend with large figures. */
  readonly large?: boolean
}

const DAY_MS = 86_400_000
const LEFT = 46
const RIGHT = 8
const TOP = 8
const BOTTOM = 20

/** Values over time, drawn as SVG; the legend shows the values under the pointer. */
export function TimeChart(props: TimeChartProps) {
  const { label, kind, lines, fromMs, stepMs, room, format, height = 180, large = false } = props
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(600)
  const pointed = useSignal<number | undefined>(undefined)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) width.value = Math.max(220, Math.round(entry.contentRect.width))
    })
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])

  const count = Math.max(1, room)
  const ticks = niceTicks(highest(lines, kind !== 'lines'))
  const top = ticks.at(-1) ?? 1
  const plot = { width: width.value - LEFT - RIGHT, height: height - TOP - BOTTOM, top, count }
  const x = (n: number) =>
    LEFT + (kind === 'bars' ? (n + 0.5) / count : n / Math.max(1, count - 1)) * plot.width
  const y = (value: number) => TOP + plot.height * (1 - value / top)
  const { stamp, tickStamp } = stampsFor(stepMs, stepMs * count)
  const at = pointed.value

  function point(event: PointerEvent & { currentTarget: Element }): void {
    const { left } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - left - LEFT) / plot.width
    const n = kind === 'bars' ? Math.floor(share * count) : Math.round(share * (count - 1))
    pointed.value = lines[0]?.values[n] === undefined ? undefined : n
  }

  return (
    <div class="chart" ref={box}>
      <Legend
        lines={lines}
        at={at}
        large={large}
        format={format}
        when={at === undefined ? undefined : stamp(fromMs + at * stepMs)}
      />
      <svg
        role="img"
        aria-label={label}
        width={width.value}
        height={height}
        onPointerMove={point}
        onPointerLeave={() => {
          pointed.value = undefined
        }}
      >
        {ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1={LEFT} x2={width.value - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 3.5} class="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {timeTicks(fromMs, stepMs * count, width.value).map((time) => (
          <text key={time} class="middle" x={x((time - fromMs) / stepMs)} y={height - 5}>
            {tickStamp(time)}
          </text>
        ))}
        <g transform={`translate(${LEFT} ${TOP})`}>
          {kind === 'bars' && drawBars(lines, plot)}
          {kind === 'stack' && drawStack(lines, plot)}
          {kind === 'lines' && lines.map((line) => drawLine(line, plot))}
        </g>
        {at !== undefined && (
          <line class="cursor" x1={x(at)} x2={x(at)} y1={TOP} y2={height - BOTTOM} />
        )}
      </svg>
    </div>
  )
}

/** How a point and a tick are named: the longer the time, the less of it. */
function stampsFor(stepMs: number, spanMs: number) {
  if (spanMs <= 2 * DAY_MS)
    return { stamp: spanMs > 900_000 ? formatMinute : formatClock, tickStamp: formatMinute }
  return {
    stamp: stepMs >= DAY_MS ? formatUtcDay : formatStamp,
    tickStamp: (at: number) => formatUtcDay(at).slice(5),
  }
}

function highest(lines: readonly ChartLine[], stacked: boolean): number {
  if (!stacked) return Math.max(0, ...lines.flatMap(({ values }) => values.map((v) => v ?? 0)))
  const length = Math.max(0, ...lines.map(({ values }) => values.length))
  let most = 0
  for (let n = 0; n < length; n++)
    most = Math.max(
      most,
      lines.reduce((sum, { values }) => sum + (values[n] ?? 0), 0),
    )
  return most
}
