import { randomBytes, scryptSync } from 'node:crypto'
import { messageOf } from '../base/errors.ts'
import type { Environment } from '../base/environment.ts'
import { secretOf } from '../identity/secret-file.ts'
import type { Log } from '../telemetry/log.ts'

export interface SessionSecretOptions {
  /** The secret of handles and tasks: a file of the data folder, or what the database holds. */
  readonly source: string | Buffer
  /** Whether replicas share sessions. */
  readonly shared: boolean
  readonly env: Environment
  readonly log: Log
}

/**
 * Returns the secret under which the ids of sessions are sealed. Replicas without a database have
 * only their environment in common.
 */
export function sessionSecret({ source, shared, env, log }: SessionSecretOptions): Buffer {
  const passphrase = env['PORTOLAN_SECRET_KEY']
  // Clients hold what it seals, so trying passphrases must be expensive.
  if (shared && passphrase && typeof source === 'string')
    return scryptSync(passphrase, 'portolan session ids', 32)
  try {
    return secretOf(source)
  } catch (error) {
    log.warn('Clients have to connect again after a restart: the secret cannot be stored', {
      error: messageOf(error),
    })
    return randomBytes(32)
  }
}
