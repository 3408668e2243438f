/** Whether a version comes after another; a pre-release comes before its release. */
export function isNewer(version: string, other: string): boolean {
  const [ours, theirs] = [parse(version), parse(other)]
  const at = ours.numbers.findIndex((number, index) => number !== theirs.numbers[index])
  if (at !== -1) return (ours.numbers[at] ?? 0) > (theirs.numbers[at] ?? 0)
  if (ours.rest === '' || theirs.rest === '') return ours.rest === '' && theirs.rest !== ''
  return ours.rest.localeCompare(theirs.rest, 'en', { numeric: true }) > 0
}

function parse(version: string) {
  const [release = '', ...rest] = version.split('-')
  const numbers = release.split('.').map(Number)
  return { numbers: [0, 1, 2].map((at) => numbers[at] ?? 0), rest: rest.join('-') }
}
