import type { StoredConfig, StoredVersion } from '../../config/stored.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Listening } from '../../storage/engines/listen-postgres.ts'
import {
  type ConfigRow,
  latestConfig,
  latestConfigVersion,
} from '../../storage/shared/config-versions.ts'
import type { Storage } from '../../storage/storage.ts'
import { readable } from './unreachable.ts'

export interface StoredConfigSource extends StoredConfig {
  close(): void
}

/** Notices announce every push within milliseconds; polling is for the case that one is lost. */
const POLL_MS = 5_000

/** Follows the newest version. While the database is unreachable, the last version stays in use. */
export async function openStoredConfig(
  storage: Storage,
  listening: Pick<Listening, 'on'>,
): Promise<StoredConfigSource> {
  const listeners = new Set<() => void>()
  const first = await readable(async () => latestConfig(storage.db))
  if (first === undefined)
    throw new GatewayError('INVALID_PARAMS', 'No configuration was pushed to the database yet', {
      hint: 'Run `portolan config push` where the files are, or leave out PORTOLAN_CONFIG_SOURCE=database.',
    })
  let latest = toStoredVersion(first)
  let looking: Promise<void> | undefined
  let again = false

  /** A notice during a read may announce a version newer than the one read, so it reads again. */
  function look(): void {
    if (looking) again = true
    else
      looking = read()
        .catch(() => undefined)
        .finally(() => {
          looking = undefined
          if (again) {
            again = false
            look()
          }
        })
  }

  async function read(): Promise<void> {
    if ((await latestConfigVersion(storage.db)) <= latest.version) return
    const row = await latestConfig(storage.db)
    if (row === undefined || row.version <= latest.version) return
    latest = toStoredVersion(row)
    for (const listener of listeners) listener()
  }

  const stopListening = listening.on('config', look)
  const timer = setInterval(look, POLL_MS)
  timer.unref()
  return {
    get latest() {
      return latest
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      stopListening()
      clearInterval(timer)
    },
  }
}

export function toStoredVersion({ version, mcp, rules, settings }: ConfigRow): StoredVersion {
  return {
    version,
    texts: {
      ...(mcp !== null && { mcp }),
      ...(rules !== null && { rules }),
      ...(settings !== null && { settings }),
    },
  }
}
