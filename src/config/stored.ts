import type { PartSource } from './reload/load-part.ts'
import { FILE_NAMES, type FileKind, type Place, explicitPath, findFiles } from './paths.ts'

/** One version of the configuration that was pushed to the database: the texts of up to three files. */
export interface StoredVersion {
  readonly version: number
  readonly texts: { readonly [kind in FileKind]?: string | undefined }
}

/** Where a pushed configuration comes from. Reading it is as immediate as reading a file. */
export interface StoredConfig {
  /** The newest version that this process has heard of. */
  readonly latest: StoredVersion
  /** Called when there is a newer one; returns the way to stop. */
  onChange(listener: () => void): () => void
}

/** A file that is named counts before what was pushed; one that would only be found does not. */
export function sourceOf(
  kind: FileKind,
  place: Place,
  flag: string | undefined,
  stored: StoredVersion | undefined,
): PartSource {
  if (stored === undefined) return { layers: findFiles(kind, place, flag) }
  const named = explicitPath(kind, place, flag)
  if (named !== undefined) return { layers: [{ level: 'project', path: named, named: true }] }
  const text = stored.texts[kind]
  const { version } = stored
  const path = `database:${FILE_NAMES[kind]}`
  return { layers: text === undefined ? [] : [{ level: 'project', path, text }], version }
}
