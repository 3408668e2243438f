import { createHash } from 'node:crypto'

/** Stores the map of names as one text: in a file, Redis or PostgreSQL. */
export interface NamesStore {
  /** The location, for the log. */
  readonly place: string
  /** Returns the stored text, '' if there is none; undefined if the store does not answer. */
  read(): Promise<string | undefined>
  /** Replaces a text; false if another one is stored, or the store does not answer. */
  replace(before: string, after: string): Promise<boolean>
  /** Called when another process may have stored something; returns the function to unsubscribe. */
  onChange?(listener: () => void): () => void
}

/** Names that were not written for this long are of a configuration no longer used. */
export const KEEP_UNUSED_MS = 90 * 86_400_000

/** In the data folder: one file `KEY.json` per configuration, if nothing else stores names. */
export const NAMES_FOLDER = 'names'

/** Returns the key of a configuration, which has its own names, by its source, such as a path. */
export function sourceKey(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 16)
}
