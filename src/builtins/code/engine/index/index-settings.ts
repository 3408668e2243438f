import type { ChunkOptions } from '../../scan/cut-chunks.ts'
import { DEFAULT_CHUNKS } from '../../scan/scan-file.ts'
import type { WalkOptions } from '../../walk/walk.ts'

/** What decides the content of an index; another value means building it again. */
export interface IndexSettings extends Pick<
  WalkOptions,
  'include' | 'exclude' | 'gitignore' | 'maxFileBytes' | 'maxFiles'
> {
  readonly chunks: ChunkOptions
}

export const DEFAULT_SETTINGS: IndexSettings = { chunks: DEFAULT_CHUNKS }
