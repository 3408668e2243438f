/** The length from which V8 makes a slice a reference to the text it was cut from. */
const MIN_SLICE_LENGTH = 13

/** Returns a separate copy: a slice would keep the whole text it was cut from in memory. */
export function detached(part: string): string {
  return part.length < MIN_SLICE_LENGTH ? part : Buffer.from(part).toString()
}

/** Returns a text if it is short enough, else its beginning as a separate copy. */
export function beginningOf(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : detached(text.slice(0, mostChars))
}
