import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { IndexFileError } from '../../../../search/persist/index-file.ts'
import { loadTextIndex, saveTextIndex } from '../../../../search/persist/text-index-file.ts'
import type { TextIndex } from '../../../../search/text-index.ts'
import { FIELDS, type Position, type TraceFields } from './trace-fields.ts'

/** Must be changed when the fields or their analysers change. */
const FORMAT = 'traces/2'

export interface IndexFile {
  readonly path: string
}

const savedAbout = z.object({
  position: z.object({ revision: z.number(), id: z.string() }),
  /** The tag sets of traces, in the order of their labels. */
  tagSets: z.array(z.array(z.string())),
})

export interface SavedIndex {
  readonly text: TextIndex<TraceFields>
  readonly position: Position
  readonly tagSets: readonly (readonly string[])[]
}

export async function saveTraceIndex(
  file: IndexFile,
  text: TextIndex<TraceFields>,
  about: Omit<SavedIndex, 'text'>,
): Promise<void> {
  await mkdir(dirname(file.path), { recursive: true, mode: 0o700 })
  await saveTextIndex({ path: file.path, format: FORMAT }, text, about)
}

/** Returns undefined if there is no valid saved index, so that it is rebuilt. */
export async function loadTraceIndex(file: IndexFile): Promise<SavedIndex | undefined> {
  try {
    const saved = await loadTextIndex({ path: file.path, format: FORMAT }, FIELDS)
    return { text: saved.index, ...savedAbout.parse(saved.about) }
  } catch (error) {
    if (error instanceof IndexFileError || error instanceof z.ZodError) return undefined
    throw error
  }
}
