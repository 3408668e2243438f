/** The hint for an expression that takes too much work or finds too much. */
export const NARROW =
  'Narrow the result first, such as items[:1000] | …, copy it fewer times, or read it page by page with offset and limit.'
