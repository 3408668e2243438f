import { existsSync } from 'node:fs'
import { type Workspace, historyFolder } from '../paths.ts'
import { isElsewhere } from './config-files.ts'
import { BEFORE_ALL, type VersionSummary, describeVersion } from './describe-version.ts'
import { FIRST_VERSION, VersionStore } from './version-store.ts'

/** Returns the versions of this folder and of the data folder, newest first. */
export async function listVersions(place: Workspace): Promise<VersionSummary[]> {
  if (!existsSync(historyFolder(place))) return []
  const versions = (await VersionStore.open(place)).all()
  if (versions.length === 0) return []
  const shown = versions
    .filter(({ files }) => files.some(({ path }) => !isElsewhere(path, place)))
    .map(describeVersion)
    .toReversed()
  return versions[0]?.version === FIRST_VERSION + 1 ? [...shown, BEFORE_ALL] : shown
}
