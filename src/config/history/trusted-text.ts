import { existsSync } from 'node:fs'
import { type Workspace, historyFolder } from '../paths.ts'
import { hashOf } from '../trust/named-files.ts'
import { lastTrusted, readTrust, realPath } from '../trust/trust-list.ts'
import { VersionStore } from './version-store.ts'

/** Returns the content of a file that was trusted last; undefined if nobody has it any more. */
export async function trustedText(place: Workspace, path: string): Promise<string | undefined> {
  const entry = lastTrusted(path, readTrust(place).files)
  if (!entry || entry.text !== undefined) return entry?.text
  if (!existsSync(historyFolder(place))) return undefined
  const versions = (await VersionStore.open(place)).all()
  return versions
    .toReversed()
    .flatMap(({ files }) => files)
    .filter((file) => file.path === realPath(path))
    .flatMap(({ before, after }) => [after, before])
    .map((content) => content?.toString('utf8'))
    .find((text) => text !== undefined && hashOf(text) === entry.sha256)
}
