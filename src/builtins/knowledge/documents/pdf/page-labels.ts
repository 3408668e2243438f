/** One label for each page, or null where the PDF has none. */
export type PageLabels = readonly string[] | null

const MAX_LENGTH = 20_000

/**
 * Writes the printed page numbers of a PDF as runs, such as `1=i 2=ii 13=1`: pages after the first
 * of a run count on. Returns undefined where they equal the numbers of the pages in the file.
 */
export function formatPageLabels(labels: PageLabels): string | undefined {
  if (!labels || labels.every((label, at) => label === String(at + 1))) return undefined
  const runs = labels.flatMap((label, at) =>
    at > 0 && label === countOn(labels[at - 1] ?? '', 1)
      ? []
      : [`${at + 1}=${encodeURIComponent(wellFormed(label))}`],
  )
  const text = runs.join(' ')
  return text.length > MAX_LENGTH ? undefined : text
}

/** Returns the number that is printed on a page of a file. */
export function labelOfPage(runs: string, page: number): string {
  let label = ''
  for (const run of runs.split(' ')) {
    const [first = '', encoded = ''] = run.split('=')
    if (Number(first) > page) break
    label = countOn(decodeURIComponent(encoded), page - Number(first))
  }
  return label
}

/** Counts on from a label that ends in a number; a label without one has no successor. */
function countOn(label: string, steps: number): string {
  if (steps === 0) return label
  const [, prefix = '', digits = ''] = /^(.*?)(\d{1,9})$/.exec(label) ?? []
  return digits === '' ? '' : `${prefix}${Number(digits) + steps}`
}

/** Half of a surrogate pair cannot be encoded, and a damaged file may hold one. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}
