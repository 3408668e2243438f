import type { ChartLine } from './time-chart.tsx'

interface LegendProps {
  readonly lines: readonly ChartLine[]
  /** The index of the point under the pointer, if any. */
  readonly at: number | undefined
  readonly large: boolean
  readonly format: (value: number) => string
  readonly when: string | undefined
}

/** The name and colour of each line, with its value under the pointer or its total. */
export function Legend({ lines, at, large, format, when }: LegendProps) {
  return (
    <p class={large ? 'legend large' : 'legend'}>
      {lines.map(({ name, tint, values, sum }) => {
        const value = at === undefined ? undefined : values[at]
        const text = value === undefined ? sum : value === null ? '–' : format(value)
        return (
          <span key={name} class={`legend-item ${tint}`}>
            {name}
            {text !== undefined && <b>{text}</b>}
          </span>
        )
      })}
      <span class="legend-when">{when}</span>
    </p>
  )
}
