import type { TextFinding } from './finding.ts'

/** Finds text that instructs the model instead of describing. */
export function scanOrders(_text: string): TextFinding[] {
  return []
}
