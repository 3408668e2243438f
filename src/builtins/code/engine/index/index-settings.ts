import type { ChunkOptions } from '../../scan/cut-chunks.ts'
import { DEFAULT_CHUNKS } from '../../scan/scan-file.ts'
import type { WalkOptions } from '../../walk/walk.ts'

/** The settings that determine the content of an index; changing one requires a rebuild. */
export interface IndexSettings extends Pick<
  WalkOptions,
  'include' | 'exclude' | 'gitignore' | 'maxFileBytes' | 'maxFiles'
> {
  readonly chunks: ChunkOptions
}

export const DEFAULT_SETTINGS: IndexSettings = { chunks: DEFAULT_CHUNKS }
