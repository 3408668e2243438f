import type { ImportRef } from './import-ref.ts'

/** The files of the project that a reference means; none when it leads outside. */
export type Resolve = (from: string, reference: ImportRef) => readonly string[]
