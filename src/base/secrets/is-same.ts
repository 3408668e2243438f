import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets are the same, in a time that says nothing about where they differ. */
export function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  // Node compares no others, and throws.
  return given.length === expected.length && timingSafeEqual(given, expected)
}
