import type { Environment } from '../../base/environment.ts'
import { THEIR_FILES, THEIR_SETTINGS } from '../agent-mcp-gateway-names.ts'

/** Variables that 0.1 read, the values it could use, and their current names. */
const FORMER: readonly (readonly [name: string, value: RegExp, now: string])[] = [
  ['DATABASE_URL', /^postgres(ql)?:\/\//, 'PORTOLAN_DATABASE_URL'],
  ['REDIS_URL', /^rediss?:\/\//, 'PORTOLAN_REDIS_URL'],
  ['API_BASE_URL', /^https?:\/\//, 'PORTOLAN_TRACES_URL'],
  ['API_KEY_PEPPER', /./, 'PORTOLAN_TRACES_API_KEY_PEPPER'],
  ['EMBEDDING_MODEL', /./, 'PORTOLAN_EMBEDDING_MODEL'],
  ['QDRANT_URL', /^https?:\/\//, 'PORTOLAN_QDRANT_URL'],
]

/** Returns one line if variables are set that only 0.1 would have read. */
export function formerNames(env: Environment): string[] {
  const found = FORMER.filter(([name, value, now]) => value.test(env[name] ?? '') && !env[now])
  if (found.length === 0) return []
  const names = found.map(([name]) => name).join(', ')
  const now = found.map(([, , name]) => name).join(', ')
  return [
    `Not read, as ${found.length === 1 ? 'it belongs' : 'they belong'} to your application: ${names}. For Portolan, set ${now}.`,
  ]
}

/** Returns the lines for the start about variables that other systems gave their names. */
export function notesOnVariables(env: Environment): string[] {
  const theirs = [...THEIR_SETTINGS.map(([name]) => name), ...Object.values(THEIR_FILES)]
  const read = theirs.filter((name) => env[name])
  return [
    ...(read.length > 0 ? [`Reads the variables of agent-mcp-gateway: ${read.join(', ')}.`] : []),
    ...formerNames(env),
  ]
}
