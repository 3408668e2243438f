/** What became of one description. */
export interface SpecReport {
  readonly file: string
  operations: number
  tools: number
  /** What the importer says it left out. */
  reported: number
  importMs: number
  /** The most memory that the process had taken when the import was done. */
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
