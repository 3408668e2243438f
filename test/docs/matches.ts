/** Whether a program printed what the document says: `…` in a line is any text, alone any lines. */
export function matches(expected: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = expected
  if (first === undefined) return printed.length === 0
  if (first.trim() === '…')
    return Array.from({ length: printed.length + 1 }, (_, at) => at).some((at) =>
      matches(rest, printed.slice(at)),
    )
  const [line, ...others] = printed
  return line !== undefined && matchesLine(first, line) && matches(rest, others)
}

function matchesLine(expected: string, line: string): boolean {
  if (!expected.includes('…')) return expected.trimEnd() === line.trimEnd()
  const pattern = expected
    .trimEnd()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')
  return new RegExp(`^${pattern}$`, 'u').test(line.trimEnd())
}
