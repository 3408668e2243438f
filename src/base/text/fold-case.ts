/**
 * Returns a text in which letters differ by more than their case and their encoding: names are the
 * same if these are. Upper case comes first, as some letters have more than one lower case.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}
