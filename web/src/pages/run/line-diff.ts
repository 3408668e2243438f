/** Finding the fewest changed lines takes the product of both lengths. */
const MAX_LINES = 1_000
const CONTEXT = 2

/**
 * Returns the lines that differ, marked with `-` and `+`, and a few around them; undefined if the
 * texts differ in too many lines to compare.
 */
export function lineDiff(before: string, after: string): string[] | undefined {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail))
    tail += 1
  const middle = changes(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  if (middle === undefined) return undefined
  const [from, until] = [Math.max(0, head - CONTEXT), a.length - tail + CONTEXT]
  return [
    ...marked(' ', a.slice(from, head)),
    ...middle,
    ...(tail === 0 ? [] : marked(' ', a.slice(a.length - tail, until))),
  ]
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => mark + line)
}

function changes(a: readonly string[], b: readonly string[]): string[] | undefined {
  if (a.length > MAX_LINES || b.length > MAX_LINES) return undefined
  const common = commonParts(a, b)
  const at = (i: number, j: number) => common[i]?.[j] ?? 0
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const step = a[i] === b[j] ? ' ' : at(i + 1, j) >= at(i, j + 1) ? '-' : '+'
    lines.push(`${step}${(step === '+' ? b[j] : a[i]) ?? ''}`)
    if (step !== '+') i += 1
    if (step !== '-') j += 1
  }
  return [...lines, ...marked('-', a.slice(i)), ...marked('+', b.slice(j))]
}

/** For each pair of places, the length of the longest common part from there to both ends. */
function commonParts(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const rows: Uint16Array[] = [new Uint16Array(b.length + 1)]
  for (const line of a.toReversed()) {
    const below = rows[0] ?? new Uint16Array(0)
    const row = new Uint16Array(b.length + 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      row[j] = line === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    rows.unshift(row)
  }
  return rows
}
