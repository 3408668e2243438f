export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

type Cell = string | number

const line = (cells: readonly Cell[]) => `| ${cells.join(' | ')} |`

/** Rows of cells as a Markdown table. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
