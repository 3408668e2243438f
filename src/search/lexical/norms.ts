/**
 * What one word is worth in a field: less in a long one. A change of any document moves the mean length
 * and with it every norm, so they are kept by length, of which there are few, and not by document.
 */
export interface Norms {
  /** By field and document. */
  readonly lengths: readonly Uint32Array[]
  /** By field and length. */
  readonly byLength: readonly Float32Array[]
}

export function normOf({ lengths, byLength }: Norms, field: number, document: number): number {
  return byLength[field]?.[lengths[field]?.[document] ?? 0] ?? 0
}
