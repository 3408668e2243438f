import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets are the same, in a time that does not reveal where they differ. */
export function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  // `timingSafeEqual` throws if the lengths differ.
  return given.length === expected.length && timingSafeEqual(given, expected)
}
