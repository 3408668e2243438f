import { READ_ONCE } from './issues.ts'
import { isObject } from '../base/json/json.ts'
import { PATH_OR_ADDRESS, tellingName } from '../base/secrets/hide-fields.ts'
import { isSecretName } from '../base/secrets/secrets.ts'
import type { Config } from './load.ts'
import { readSecrets } from './secrets/stored-secrets.ts'
import type { ServerConfig } from './servers/servers.ts'
import { settingsSchema } from './settings/settings.ts'
import type { Environment } from '../base/environment.ts'
import { decodeUri } from '../base/text/decode-uri.ts'

/** Long text without spaces, with letters and digits, which people do not write by hand. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])[\w+/=.~:-]{16,}$/i
/** Headers that describe a message, not its sender. */
const HARMLESS_HEADER =
  /^(?:accept.*|content-.*|user-agent|host|origin|referer|connection|mcp-.*)$/i

/**
 * Returns the secret values of a configuration: those of server entries and settings with the name
 * or look of a secret, the stored ones, and environment variables with the name of a secret.
 */
export function configuredSecrets(
  config: Pick<Config, 'servers' | 'settings'>,
  env: Environment,
): string[] {
  const servers = [...config.servers.values()]
  return [
    ...servers.flatMap(ofServer),
    ...ofVariables(servers, env),
    ...Object.values(storedIn(config.settings.home, env)).flatMap((value) =>
      value === undefined ? [] : [value, ...ofUrl(value)],
    ),
    ...deep(config.settings).filter((value) => !PUBLIC.has(value)),
  ]
}

/** Returns the stored secrets; none if they cannot be read, as then nothing can show them. */
function storedIn(home: string, env: Environment): Environment {
  try {
    return readSecrets(home, env)
  } catch {
    return {}
  }
}

/** Default values, which are documented and so not secret, whatever their names. */
const PUBLIC: ReadonlySet<string> = new Set(deep(settingsSchema.parse({}, READ_ONCE)))

function ofServer(server: ServerConfig): string[] {
  if (server.kind === 'broken') return []
  const extra = deep(server.extra)
  // No default case, so that a new kind of server does not compile until it is handled here.
  switch (server.kind) {
    case 'stdio':
      return [...extra, ...deep(server.env), ...ofUrl(server.command), ...ofArguments(server.args)]
    case 'http': {
      const { headers, oauth, url } = server
      const { clientSecret, privateKey } = oauth
      return [...extra, ...deep({ headers, clientSecret, privateKey }), ...ofUrl(url)]
    }
    case 'openapi':
    case 'builtin':
      return extra
  }
}

/** Returns variables with the name of a secret, and random-looking ones that an entry uses. */
function ofVariables(servers: readonly ServerConfig[], env: Environment): string[] {
  const entries = JSON.stringify(servers)
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === undefined) return []
    const isUsed = RANDOM.test(value) && entries.includes(value)
    const whole = (isUsed || isSecretName(name)) && !PATH_OR_ADDRESS.test(value) ? [value] : []
    return [...whole, ...ofUrl(value)]
  })
}

/** Treats any other header as a credential; in `Bearer …`, the second word alone is secret too. */
function ofHeader([name, value]: readonly [string, unknown]): string[] {
  if (HARMLESS_HEADER.test(name) || typeof value !== 'string') return []
  return [value, ...value.split(/\s+/)].filter((part) => !/^(?:bearer|basic|token)$/i.test(part))
}

function ofUrl(address: string): string[] {
  if (!address.includes('://') || !URL.canParse(address)) return []
  const { username, password, searchParams } = new URL(address)
  const inQuery = [...searchParams].filter(([name, value]) => isSecret(name, value))
  const [user, word] = [decodeUri(username), decodeUri(password)]
  const basic = word === '' ? [] : [Buffer.from(`${user}:${word}`).toString('base64')]
  // A user name without a password is a token, as in `https://<token>@host`.
  const name = password === '' ? [username, user] : []
  return [...name, password, word, ...basic, ...inQuery.map(([, value]) => value)]
}

function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, name, value] = /^-{0,2}([\w-]+)=(.*)$/s.exec(arg) ?? []
    if (name !== undefined && value !== undefined)
      return isSecret(name, value) ? [value, ...ofUrl(value)] : ofUrl(value)
    const before = args[index - 1] ?? ''
    const flag = before.startsWith('-') ? before : ''
    const isValue = !arg.startsWith('-') && isSecret(flag, arg)
    return isValue ? [arg, ...ofUrl(arg)] : ofUrl(arg)
  })
}

function isSecret(name: string, value: string): boolean {
  return !PATH_OR_ADDRESS.test(value) && (isSecretName(name) || RANDOM.test(value))
}

/** Returns every string in a value that is secret by its name or look, at any depth. */
function deep(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return isSecret(name, value) ? [value, ...ofUrl(value)] : ofUrl(value)
  if (Array.isArray(value)) return value.flatMap((part) => deep(part, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'headers' && isObject(part)
      ? Object.entries(part).flatMap(ofHeader)
      : deep(part, tellingName(key, name)),
  )
}
