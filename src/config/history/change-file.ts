import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { replaceFile } from '../../base/files/replace-file.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { FILE_NAMES, type Workspace } from '../paths.ts'
import { textOf } from '../text-of.ts'
import { trustWritten } from '../trust/record-trust.ts'
import { diffOf } from './describe-version.ts'
import { recordChanges } from './record-changes.ts'

export interface FileChange {
  readonly file: string
  readonly by: string
  readonly reason: string
  /** The digest of the text that the change is based on; refused if the file has another one. */
  readonly expected?: string | undefined
  /** Other files that the edit may change. */
  readonly also?: readonly string[]
  readonly edit: (text: string) => string
}

export interface ChangedFile {
  /** Undefined if the edit changed nothing. */
  readonly version: number | undefined
  /** The changed lines, without secrets. */
  readonly diff: readonly string[]
}

/**
 * Changes one file of the configuration as a version of its own. A file of the working folder stays
 * trusted if it was.
 *
 * @example
 * ```ts
 * await changeFile(place, {
 *   file: rulesFile,
 *   by: 'ada',
 *   reason: 'always allow github.search',
 *   edit: (text) => editJson(text, ['agents', 'ci', 'allow', 'tools', 'github'], ['search']),
 * })
 * ```
 */
export async function changeFile(
  place: Workspace,
  { file, by, reason, expected, also = [], edit }: FileChange,
): Promise<ChangedFile> {
  const { result, version } = await recordChanges(
    place,
    { by, reason, files: [file, ...also] },
    () => {
      const before = textOf(file)
      if (expected !== undefined && digestOf(before) !== expected) throw overtaken(file)
      const after = edit(before)
      if (after === before) return { before, after }
      // An editor takes no turns with us.
      if (textOf(file) !== before) throw overtaken(file)
      replaceFile(file, after, 0o600)
      if (Object.values(FILE_NAMES).includes(basename(file)))
        trustWritten(place, file, { before, after })
      return { before, after }
    },
  )
  return { version: version?.version, diff: diffOf(file, result.before, result.after) }
}

/** Identifies a text, for whoever changes it later. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function overtaken(file: string): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `${file} was changed by somebody else, so that nothing was written`,
    { reason: 'changed_meanwhile', hint: 'Read it again, and repeat your change there.' },
  )
}
