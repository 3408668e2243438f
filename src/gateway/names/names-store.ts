import { createHash } from 'node:crypto'

/** Where the map of names is stored, as one text: a file, Redis or PostgreSQL. */
export interface NamesStore {
  /** Where that is, for those who read the log. */
  readonly place: string
  /** What is stored, '' where nothing is; undefined while nobody answers. */
  read(): Promise<string | undefined>
  /** Stores a text in place of another; false where that is not what is stored, or nobody answers. */
  replace(before: string, after: string): Promise<boolean>
  /** Called when another process may have stored something; returns the function to unsubscribe. */
  onChange?(listener: () => void): () => void
}

/** What no process has written for so long is of a configuration that is not used any more. */
export const KEEP_UNUSED_MS = 90 * 86_400_000

/** Below a data folder: one file for each configuration, `KEY.json`, where nothing else stores them. */
export const NAMES_FOLDER = 'names'

/** Names are stored for each configuration by itself: this is of where it comes from, such as a path. */
export function sourceKey(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 16)
}
