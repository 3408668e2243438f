/** How well a result matches, from 0 to 1. */
export function Score({ value }: { readonly value: number }) {
  return (
    <span class="score" title={`Score ${value.toFixed(3)}`}>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }} />
      </span>
      {value.toFixed(2)}
    </span>
  )
}
