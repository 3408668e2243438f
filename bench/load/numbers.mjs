export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values) => quantile(values, 0.5)

export const round = (value, digits = 2) => Number(value.toFixed(digits))

const line = (cells) => `| ${cells.join(' | ')} |`

/** Rows of cells as a Markdown table. */
export function table(header, rows) {
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}
