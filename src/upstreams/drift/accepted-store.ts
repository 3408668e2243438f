import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, messageOf } from '../../base/errors.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type AcceptedRecord, acceptedRecordSchema } from './accepted-record.ts'

/** Where it is stored what was accepted of one server. */
export interface AcceptedStore {
  /** Undefined if nothing is stored. */
  load(): AcceptedRecord | undefined
  save(record: AcceptedRecord): void
  /** Changes when somebody else has written. */
  stamp(): string
  /** Why the last record could not be read or stored, as a sentence. */
  readonly problem: string | undefined
  /** Resolves when `load` knows what is stored; undefined once it does. */
  loaded(): Promise<void> | undefined
}

/** Stores one file per server; `identity` tells servers of one name apart. */
export function createAcceptedStore(
  folder: string,
  server: string,
  identity: unknown,
): AcceptedStore {
  const path = join(folder, `${acceptedKey(server, identity)}.json`)
  let problem: string | undefined
  return {
    load() {
      problem = undefined
      try {
        return acceptedRecordSchema.parse(parseExact(readFileSync(path, 'utf8'), Infinity))
      } catch (error) {
        if (!hasCode(error, 'ENOENT'))
          problem = `What was accepted of '${server}' cannot be read from ${path}: ${messageOf(error)}`
        return undefined
      }
    },
    save(record) {
      problem = undefined
      try {
        replaceFile(path, stringifyExact(record) ?? '', 0o600)
      } catch (error) {
        problem = `What is accepted of '${server}' cannot be stored, so it lasts until this process ends: ${messageOf(error)}`
      }
    },
    stamp() {
      try {
        const { ino, mtimeNs } = statSync(path, { bigint: true })
        return `${ino} ${mtimeNs}`
      } catch {
        return ''
      }
    },
    get problem() {
      return problem
    },
    loaded: () => undefined,
  }
}

/** The name under which it is stored what was accepted of a server. */
export function acceptedKey(server: string, identity: unknown): string {
  const content = JSON.stringify([server, identity])
  return createHash('sha256').update(content).digest('hex').slice(0, 24)
}
