import type { TraceRow } from '../../../storage/tables/trace-tables.ts'
import { updateTrace } from '../../../storage/traces/trace-rows.ts'
import { bestEffort } from '../service/deps.ts'
import { parseFingerprint, parseObject } from '../service/present-trace.ts'
import type { CommunityDeps } from './deps.ts'

type VersionedTrace = Pick<TraceRow, 'metadata_json' | 'fingerprint_json'>

/** Whether the library of a trace has a newer major or minor version; false if unknown. */
export async function isOutdated(
  { registry }: Pick<CommunityDeps, 'registry'>,
  trace: VersionedTrace,
): Promise<boolean> {
  if (!registry) return false
  const { library, library_version } = parseObject(trace.metadata_json)
  const { language = 'python' } = parseFingerprint(trace)
  if (typeof library !== 'string' || typeof library_version !== 'string') return false
  // The registry has Python packages; a package of the same name elsewhere has other versions.
  if (language !== 'python') return false
  const latest = await registry.latestVersion(library)
  return latest !== undefined && isOlder(library_version, latest)
}

/** Marks a trace as stale if it is outdated; runs after the answer, as the registry may be slow. */
export async function checkStaleness(
  deps: CommunityDeps,
  trace: VersionedTrace & { id: string },
): Promise<void> {
  await bestEffort(deps, async () => {
    if (await isOutdated(deps, trace)) await updateTrace(deps.storage.db, trace.id, { is_stale: 1 })
  })
}

const VERSION = /^\D{0,2}(\d{1,6})(?:\.(\d{1,6}))?/

/** Whether a version is older in its major or minor number; false if one cannot be parsed. */
export function isOlder(version: string, latest: string): boolean {
  const [mine, theirs] = [VERSION.exec(version), VERSION.exec(latest)]
  if (!mine || !theirs) return false
  const major = Number(mine[1]) - Number(theirs[1])
  if (major !== 0) return major < 0
  // `5` alone means every minor version.
  return mine[2] !== undefined && Number(mine[2]) < Number(theirs[2] ?? 0)
}
