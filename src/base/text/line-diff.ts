/** Returns the changed lines, which begin with `-` or `+`, and `context` lines around them. */
export function lineDiff(before: string, after: string, context = 3): string[] {
  const all = compared(linesOf(before), linesOf(after))
  const near = (index: number) =>
    all.slice(Math.max(0, index - context), index + context + 1).some((line) => line[0] !== ' ')
  const shown: string[] = []
  all.forEach((line, index) => {
    if (!near(index)) return
    if (shown.length > 0 && !near(index - 1)) shown.push('…')
    shown.push(line)
  })
  return shown
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** The largest table of lines that is filled; beyond it, all lines between are shown as changed. */
const MAX_CELLS = 4_000_000

/** Compares only what lies between the same lines at the start and at the end. */
function compared(old: readonly string[], fresh: readonly string[]): string[] {
  const shorter = Math.min(old.length, fresh.length)
  let start = 0
  while (start < shorter && old[start] === fresh[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++
  const [was, is] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)]
  const between =
    was.length * is.length > MAX_CELLS
      ? [...marked('-', was), ...marked('+', is)]
      : aligned(was, is)
  const [head, tail] = [old.slice(0, start), old.slice(old.length - end)]
  return [...marked(' ', head), ...between, ...marked(' ', tail)]
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => mark + line)
}

/** Finds the longest common subsequence. */
function aligned(old: readonly string[], fresh: readonly string[]): string[] {
  const width = fresh.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push(` ${old[i]}`)
      i++
      j++
    } else if (i < old.length && (j === fresh.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(`-${old[i++]}`)
    else lines.push(`+${fresh[j++]}`)
  }
  return lines
}
