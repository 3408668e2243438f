/** The name itself, or with a suffix where it is taken. */
export function freeName(wanted: string, suffix: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let n = 1; taken.has(name); n++) name = `${wanted}_${suffix}${n > 1 ? n : ''}`
  return name
}
