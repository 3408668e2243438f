import { SecretValues } from '../../base/secrets/secret-values.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Config } from '../../config/load.ts'
import { LOCAL_PERSON, asSeenByPerson } from '../../gateway/agents/on-behalf-of.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import type { Log } from '../../telemetry/log.ts'
import { openService } from '../builtins/open-service.ts'
import { createPeople } from './people.ts'
import { type PoolUser, UpstreamPool } from './upstream-pool.ts'

const NOTHING = () => undefined
const SILENT: Log = { debug: NOTHING, info: NOTHING, warn: NOTHING, error: NOTHING }

/**
 * The servers of a configuration, for a command that serves nobody. Unguarded ones are listed as
 * they are, whatever was accepted of them.
 */
export function createQuietPool(
  { settings }: Pick<Config, 'settings'>,
  options: { readonly isUnguarded?: boolean } = {},
) {
  const secrets = new SecretValues()
  const vault = openVault(settings.home, process.env)
  const people = createPeople(vault, { secrets, onSignedIn: NOTHING })
  const pool = new UpstreamPool({ log: SILENT, openService, secrets, people, ...options })
  const user: PoolUser = {
    place: { cwd: process.cwd(), env: process.env },
    project: async () => ({ path: process.cwd(), source: 'cwd' }),
    onNotification: NOTHING,
    rebuild: NOTHING,
  }
  return {
    adopt: (config: Pick<Config, 'servers' | 'settings'>) => pool.adopt(user, config),
    guardOf: (name: string) => pool.guardOf(user, name),
    close: async () => pool.release(user),
  }
}

/** Servers listed at once; more than there are cores, as most of the time is waiting. */
const AT_ONCE = 6

/** Starts or reaches servers, and returns what each lists now, or why it lists nothing. */
export async function listAsTheyAre(
  config: Pick<Config, 'servers' | 'settings'>,
  timeoutMs: number,
): Promise<ReadonlyMap<string, Listing | Error>> {
  const pool = createQuietPool(config, { isUnguarded: true })
  const waiting = pool.adopt(config).values()
  const listed = new Map<string, Listing | Error>()
  async function work(): Promise<void> {
    for (const upstream of waiting)
      listed.set(upstream.name, await list(upstream, timeoutMs).catch(toError))
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return listed
  } finally {
    await pool.close()
  }
}

/** Lists a server as a person has it. */
export async function list(upstream: Upstream, timeoutMs: number): Promise<Listing> {
  return withTimeout(asSeenByPerson(upstream, LOCAL_PERSON).list(), timeoutMs, () => {
    throw new GatewayError('TIMEOUT', `no answer within ${timeoutMs / 1_000} s`)
  })
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
