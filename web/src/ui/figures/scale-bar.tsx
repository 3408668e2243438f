export interface ScalePart {
  readonly name: string
  readonly tint: string
  readonly value: number
}

/** A bar that shows the parts of a whole as lengths. */
export function ScaleBar({
  label,
  parts,
}: {
  readonly label: string
  readonly parts: readonly ScalePart[]
}) {
  const all = parts.reduce((sum, { value }) => sum + Math.max(0, value), 0)
  return (
    <div class="scale-bar" role="img" aria-label={label}>
      {parts.map(({ name, tint, value }) => (
        <span
          key={name}
          class={`scale-part ${tint}`}
          style={{ flexGrow: all === 0 ? 0 : Math.max(0, value) / all }}
        />
      ))}
    </div>
  )
}
