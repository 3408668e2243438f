/** V8 copies shorter parts; of a longer one it keeps a reference to the text it was cut from. */
const SHORTEST_SLICE = 13

/** A copy of its own: a part cut out of a text would keep the whole text in memory for as long as it lives. */
export function detached(part: string): string {
  return part.length < SHORTEST_SLICE ? part : Buffer.from(part).toString()
}
