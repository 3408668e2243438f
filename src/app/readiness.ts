import { messageOf } from '../base/errors.ts'
import { hide } from '../base/secrets.ts'
import { withTimeout } from '../base/time.ts'

/** Something a gateway needs, or is better with. */
export interface Check {
  readonly name: string
  /** Without what is required nobody should be sent here; without the rest things are only worse. */
  readonly required: boolean
  /** Throws, or rejects, when it is not well. */
  probe(): Promise<void> | void
  /** Since when it is not, in milliseconds since the epoch, where that is known better than by probing. */
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

/** Answers whether work should be sent here, and if not, what is missing since when. */
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
    const error = await failureOf(check)
    noticedAt = error === undefined ? undefined : (noticedAt ?? Date.now())
    if (error === undefined || noticedAt === undefined) return [name, { ok: true, required }]
    const since = new Date(check.since?.() ?? noticedAt).toISOString()
    return [name, { ok: false, required, since, error }]
  }
}

/** Whoever asks has shown no key: kinds of trouble are told, addresses and names are not. */
async function failureOf(check: Check): Promise<string | undefined> {
  try {
    const probed = Promise.resolve(check.probe()).then(() => undefined)
    return await withTimeout(probed, PROBE_MS, () => `no answer within ${PROBE_MS} ms`)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    return hide(messageOf(error))
  }
}
