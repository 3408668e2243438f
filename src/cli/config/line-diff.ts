/** Returns the changed lines, which begin with `-` or `+`, and `context` lines around them. */
export function lineDiff(before: string, after: string, context = 3): string[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  const all = aligned(old, fresh)
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

/** Finds the longest common subsequence; configuration files are short enough for a full table. */
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
