import { createHmac } from 'node:crypto'
import type { Environment } from '../base/environment.ts'
import { variablesFrom } from '../base/inherited.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'

/** Variables that decide how a whole process behaves, not how it treats one client. */
const OF_PROCESS =
  /^(?:PORTOLAN|COCOSEARCH|COMMONTRACE|GATEWAY|OTEL)_|^(?:https?|all|no)_proxy$|^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|NODE_TLS_REJECT_UNAUTHORIZED)$/i

/** Those that a client may have of its own, or that say nothing to a client that joins. */
const OF_CLIENT =
  /^(?:PORTOLAN_(?:KEY|PROJECT|HOME|ALONE|SHARED_\w+|LISTEN_\w+)|COCOSEARCH_PROJECT\w*|GATEWAY_(?:TRANSPORT|HTTP_\w+|PORT|CORS_ORIGINS))$/

/** Returns the variables that every client of one gateway must have in common. */
export function processVariables(env: Environment): Record<string, string> {
  const names = Object.keys(env).filter((name) => OF_PROCESS.test(name) && !OF_CLIENT.test(name))
  return variablesFrom(env, names.filter((name) => env[name] !== '').toSorted())
}

/** Returns a fingerprint of each, so that the values can be compared without being sent. */
export function fingerprints(env: Environment, token: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(processVariables(env)).map(([name, value]) => [
      name,
      createHmac('sha256', token).update(`${name}=${value}`).digest('hex').slice(0, 16),
    ]),
  )
}

/** Returns the names of the variables whose values differ. */
export function differingVariables(ours: JsonObject, theirs: unknown): string[] {
  const others = isObject(theirs) ? theirs : {}
  const names = new Set([...Object.keys(ours), ...Object.keys(others)])
  return [...names].filter((name) => ours[name] !== others[name]).toSorted()
}
