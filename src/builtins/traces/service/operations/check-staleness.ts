import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { updateTrace } from '../../../../storage/traces/trace-rows.ts'
import { type Deps, bestEffort } from '../deps.ts'
import { parseFingerprint, parseObject } from './present-trace.ts'

type Checked = Pick<TraceRow, 'metadata_json' | 'fingerprint_json'>

/** Whether the library that a trace is about has a newer major or minor version; no answer means no. */
export async function isOutdated({ registry }: Deps, trace: Checked): Promise<boolean> {
  if (!registry) return false
  const { library, library_version } = parseObject(trace.metadata_json)
  const { language = 'python' } = parseFingerprint(trace)
  if (typeof library !== 'string' || typeof library_version !== 'string') return false
  // The registry is one of Python packages: a namesake elsewhere has other versions.
  if (language !== 'python') return false
  const latest = await registry.latestVersion(library)
  return latest !== undefined && isOlder(library_version, latest)
}

/** Runs after the answer: the registry may be slow, and a contributor does not wait for it. */
export async function checkStaleness(deps: Deps, trace: Checked & { id: string }): Promise<void> {
  await bestEffort(deps, async () => {
    if (await isOutdated(deps, trace)) await updateTrace(deps.storage.db, trace.id, { is_stale: 1 })
  })
}

const VERSION = /^\D{0,2}(\d{1,6})(?:\.(\d{1,6}))?/

/** Whether a version is behind another in its major or minor number; one that cannot be read is not. */
export function isOlder(version: string, latest: string): boolean {
  const [mine, theirs] = [VERSION.exec(version), VERSION.exec(latest)]
  if (!mine || !theirs) return false
  const major = Number(mine[1]) - Number(theirs[1])
  if (major !== 0) return major < 0
  // `5` alone means every minor version.
  return mine[2] !== undefined && Number(mine[2]) < Number(theirs[2] ?? 0)
}
