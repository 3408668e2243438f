/** The outcome for one description. */
export interface SpecReport {
  readonly file: string
  operations: number
  tools: number
  /** How many parts the importer reported as left out. */
  reported: number
  importMs: number
  /** The peak memory of the process at the end of the import. */
  rssMb: number
  called: number
  exact: number
  /** Operations for which no valid values were found, so that they were not called. */
  unsampled: number
  refused?: string
  readonly problems: string[]
  /** Operations, parameters and bodies that neither a tool nor the report mentions. */
  readonly lost: string[]
}
