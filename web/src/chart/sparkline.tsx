interface SparklineProps {
  readonly values: readonly number[]
  readonly tint?: string
}

const WIDTH = 96
const HEIGHT = 22

/** The trend of the last minutes, without figures: the number beside it shows the amount. */
export function Sparkline({ values, tint = 'sea' }: SparklineProps) {
  const top = Math.max(1e-9, ...values)
  const points = values.map((value, n) => {
    const x = (n / Math.max(1, values.length - 1)) * WIDTH
    return `${x.toFixed(1)} ${(HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1)}`
  })
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        class={`area soft ${tint}`}
        d={`M0 ${HEIGHT}L${points.join('L')}L${WIDTH} ${HEIGHT}z`}
      />
      <path class={`line ${tint}`} d={`M${points.join('L')}`} />
    </svg>
  )
}
