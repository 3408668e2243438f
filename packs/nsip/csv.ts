const SEPARATORS = [',', ';', '\t']

/** Returns the rows of a CSV file; the separator is the most frequent one in the first line. */
export function parseCsv(content: string): string[][] {
  const csv = content.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const [first = ''] = csv.split('\n', 1)
  const [sign] = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length)
  // A quoted field, or anything up to the next separator or line end, with what ends it.
  const fields = csv.matchAll(
    new RegExp(`(?:"((?:[^"]|"")*)"|([^${sign}\n]*))(${sign}|\n|$)`, 'gy'),
  )
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of fields) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\n') rows.push([])
  }
  return rows.filter((row) => row.some((cell) => cell.trim()))
}
