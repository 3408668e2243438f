import { messageOf, codeOf } from '../../base/errors.ts'
import { hide } from '../../base/secrets/secrets.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { ReloadStatus } from '../../config/reload/reloader.ts'
import type { RedisClient } from '../../replicas/redis/redis-client.ts'
import type { Drain } from './draining.ts'
import type { ReplicaServices } from '../shared.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import type { Storage } from '../../storage/storage.ts'
import type { AuditLog } from '../../telemetry/audit/audit-log.ts'

/** Something that a gateway needs or benefits from. */
export interface Check {
  readonly name: string
  /** Whether a failure makes the gateway unready; otherwise it is degraded. */
  readonly required: boolean
  /** Whether a failure of a required check only degrades the gateway. */
  tolerates?(error: unknown): boolean
  /** Throws or rejects if the check fails. */
  probe(): Promise<void> | void
  /** When the failure began, in milliseconds since the epoch, if known better than by probing. */
  since?(): number | undefined
}

export interface CheckReport {
  readonly ok: boolean
  readonly required: boolean
  readonly since?: string
  readonly error?: string
}

export interface Readiness {
  readonly status: 'ready' | 'degraded' | 'unready'
  readonly checks: Readonly<Record<string, CheckReport>>
}

const PROBE_MS = 2000

/** Reports whether work should be sent here, and if not, what is missing since when. */
export function createReadiness(checks: readonly Check[]): () => Promise<Readiness> {
  const looks = checks.map((check) => createLook(check))
  return async () => {
    const reports = await Promise.all(looks.map(async (look) => look()))
    const bad = reports.filter(([, { ok }]) => !ok)
    const unready = bad.some(([, { required }]) => required)
    return {
      status: unready ? 'unready' : bad.length > 0 ? 'degraded' : 'ready',
      checks: Object.fromEntries(reports),
    }
  }
}

function createLook(check: Check): () => Promise<readonly [string, CheckReport]> {
  const { name, required } = check
  let noticedAt: number | undefined
  return async () => {
    const failure = await failureOf(check)
    noticedAt = failure === undefined ? undefined : (noticedAt ?? Date.now())
    if (failure === undefined || noticedAt === undefined) return [name, { ok: true, required }]
    const since = new Date(check.since?.() ?? noticedAt).toISOString()
    return [
      name,
      { ok: false, required: required && !failure.tolerated, since, error: failure.text },
    ]
  }
}

/** Callers are not authenticated, so the text gives the kind of failure but no address or name. */
async function failureOf(
  check: Check,
): Promise<{ readonly text: string; readonly tolerated: boolean } | undefined> {
  try {
    const probed = Promise.resolve(check.probe()).then(() => undefined)
    await withTimeout(probed, PROBE_MS, () => {
      throw new Error(`no answer within ${PROBE_MS} ms`)
    })
    return undefined
  } catch (error) {
    const code = codeOf(error)
    const tolerated = check.tolerates?.(error) ?? false
    return { text: code ?? hide(messageOf(error)), tolerated }
  }
}

/** Many systems may probe at once; a database is not asked more often than this. */
const ASK_EVERY_MS = 500

export interface ReadinessParts {
  readonly shared: ReplicaServices
  readonly drain: Drain
  readonly reload: () => ReloadStatus
  readonly auditLog: Pick<AuditLog, 'probe' | 'status'>
  readonly servers: () => readonly Upstream[]
}

/** Returns the checks of `/ready`: this process, and what replicas share. */
export function readinessChecks(parts: ReadinessParts): Check[] {
  const { shared, drain, reload, auditLog, servers } = parts
  const { storage, redis } = shared
  return [
    {
      name: 'serving',
      required: true,
      since: () => drain.since,
      probe() {
        if (drain.phase !== 'serving') throw new Error('shutting down')
      },
    },
    {
      name: 'config',
      required: false,
      probe() {
        const bad = Object.entries(reload()).filter(([, { last_error }]) => last_error !== null)
        if (bad.length === 0) return
        const names = bad.map(([name]) => name).join(', ')
        throw new Error(
          `the last reload found mistakes in ${names}; the content before it is in use`,
        )
      },
    },
    {
      name: 'audit',
      required: false,
      since: () => auditLog.status.losingSince,
      probe: async () => auditLog.probe(),
    },
    builtinsCheck(servers),
    ...(storage ? [databaseCheck(storage, () => shared.health())] : []),
    ...(redis ? [redisCheck(redis.client)] : []),
  ]
}

/**
 * Clients rely on the servers in this process, so it is not ready before they are listed; the check
 * itself opens them. One that cannot be opened leaves the others usable, but a damaged database
 * needs a person before more is written to it.
 */
function builtinsCheck(servers: () => readonly Upstream[]): Check {
  return {
    name: 'builtins',
    required: true,
    tolerates: (error) => error instanceof Broken && !error.isDamaged,
    probe: seldom(async () => {
      const builtins = servers().filter(({ kind }) => kind === 'in-process')
      await Promise.all(
        builtins.map(async (server) => {
          try {
            await server.list()
            await server.inProcess?.check?.()
          } catch (error) {
            const { storageFailure } = await import('../../storage/storage-failure.ts')
            throw new Broken(server.name, storageFailure(error) === 'malformed', error)
          }
        }),
      )
    }),
  }
}

/** Leaves out the reason; authenticated callers find it in the status, operators in the log. */
class Broken extends Error {
  override readonly name = 'Broken'
  readonly isDamaged: boolean

  constructor(server: string, isDamaged: boolean, cause: unknown) {
    const message = isDamaged ? `${server}: its database is damaged` : `${server} cannot be opened`
    super(message, { cause })
    this.isDamaged = isDamaged
  }
}

/**
 * Not required: without the database, known keys still work and servers can be called. Otherwise
 * all replicas would be taken out at the same moment, and nothing would be served at all.
 */
function databaseCheck(storage: Storage, health: ReplicaServices['health']): Check {
  return {
    name: 'database',
    required: false,
    since: () => {
      const { database } = health()
      return database?.state === 'ok' ? undefined : database?.since
    },
    probe: seldom(async () => {
      await storage.ping()
      const { database } = health()
      if (database?.state === 'no_notices') throw new Error(database.error)
    }),
  }
}

/** Not required: without Redis, limits and the cache are local until it is back. */
function redisCheck(redis: RedisClient): Check {
  return {
    name: 'redis',
    required: false,
    since: () => (redis.state.up ? undefined : redis.state.since),
    probe() {
      if (!redis.state.up) throw new Error('not connected')
    },
  }
}

function seldom(probe: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly answer: Promise<void> } | undefined
  return async () => {
    const now = performance.now()
    if (last === undefined || now - last.at > ASK_EVERY_MS) last = { at: now, answer: probe() }
    return last.answer
  }
}
