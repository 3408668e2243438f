/**
 * Returns a name with its invisible characters written out, because servers and agents choose names:
 * one that turns the direction of text, or has a space of no width, would look like another.
 */
export function visible(name: string): string {
  return name.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
