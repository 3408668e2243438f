import type { ChartLine } from './time-chart.tsx'

/** The drawing area: its size in pixels, the highest value, how many points fit. */
export interface Plot {
  readonly width: number
  readonly height: number
  readonly top: number
  readonly count: number
}

/** Stacked bars of equal width, the first line at the bottom. */
export function drawBars(lines: readonly ChartLine[], plot: Plot) {
  const slot = plot.width / plot.count
  const width = Math.max(1, slot - Math.min(2, slot * 0.25))
  const floor = Array.from({ length: plot.count }, () => 0)
  return lines.map(({ name, tint, values }) => {
    let path = ''
    for (let n = 0; n < plot.count; n++) {
      const value = values[n] ?? 0
      const base = floor[n] ?? 0
      if (value <= 0) continue
      const high = (value / plot.top) * plot.height
      const bottom = plot.height - (base / plot.top) * plot.height
      path += `M${round(n * slot + (slot - width) / 2)} ${round(bottom)}h${round(width)}v${round(-high)}h${round(-width)}z`
      floor[n] = base + value
    }
    return <path key={name} class={`area ${tint}`} d={path} />
  })
}

/** Stacked areas, the first line at the bottom. */
export function drawStack(lines: readonly ChartLine[], plot: Plot) {
  let floor: readonly number[] = lines[0]?.values.map(() => 0) ?? []
  return lines.map(({ name, tint, values }) => {
    const under = floor
    const over = under.map((base, n) => base + (values[n] ?? 0))
    floor = over
    const forth = over.map((value, n) => point(value, n, plot))
    const back = under.map((value, n) => point(value, n, plot)).toReversed()
    return (
      <g key={name}>
        <path class={`area soft ${tint}`} d={`M${forth.join('L')}L${back.join('L')}z`} />
        <path class={`line ${tint}`} d={`M${forth.join('L')}`} />
      </g>
    )
  })
}

/** A line through consecutive points, interrupted where a value is missing; few points get dots. */
export function drawLine({ name, tint, values }: ChartLine, plot: Plot) {
  const known = values.flatMap((value, n) => (value === null ? [] : [{ value, n }]))
  const path = known
    .map(({ value, n }) => `${values[n - 1] == null ? 'M' : 'L'}${point(value, n, plot)}`)
    .join('')
  return (
    <g key={name}>
      {known.length > 1 && <path class={`line ${tint}`} d={path} />}
      {known.length <= 40 &&
        known.map(({ value, n }) => (
          <circle
            key={n}
            class={`dot ${tint}`}
            cx={round((n / Math.max(1, plot.count - 1)) * plot.width)}
            cy={round(plot.height * (1 - value / plot.top))}
            r={known.length === 1 ? 3 : 1.75}
          />
        ))}
    </g>
  )
}

function point(value: number, n: number, plot: Plot): string {
  const x = (n / Math.max(1, plot.count - 1)) * plot.width
  return `${round(x)} ${round(plot.height * (1 - value / plot.top))}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
