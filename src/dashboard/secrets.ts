import type { Config } from '../config/load.ts'
import type { ServerConfig } from '../config/servers.ts'
import { isObject } from '../base/json.ts'

type Env = Readonly<Record<string, string | undefined>>

const HIDDEN = '[redacted]'
const SHORTEST = 6
const MOST_KNOWN = 2_000
const SECRET_NAME = /key|token|secret|pass|pwd|auth|cred|cookie|session|signature|private/i
/** Long, without spaces, with letters and digits: what people do not write by hand. */
const RANDOM = /^(?=.*\d)(?=.*[a-z])[\w+/=.~:-]{16,}$/i
const PLAIN = /^(?:\.{0,2}\/|~\/|[a-z]:\\|https?:\/\/[^@]*$)/i

/**
 * Takes the secrets that the configuration names out of any text, wherever a server, a log or an error
 * may have put them. The shapes that `redact` knows are not enough: a password looks like any word.
 */
export class Secrets {
  readonly #env: Env
  #config: Config | undefined
  /** Also those of earlier configurations: what was recorded then is still shown. */
  #known: readonly string[] = []
  #values: readonly string[] = []

  constructor(env: Env = process.env) {
    this.#env = env
  }

  /** `json` is a serialised answer, so secrets are looked for in the form they have there. */
  hideIn(json: string, config: Config): string {
    if (config !== this.#config) this.#learn(config)
    let clean = json
    for (const value of this.#values)
      if (clean.includes(value)) clean = clean.replaceAll(value, HIDDEN)
    return clean
  }

  #learn(config: Config): void {
    this.#config = config
    const all = new Set([...secretsOf(config, this.#env), ...this.#known])
    // Longest first, so that no part of one is left.
    this.#known = [...all].slice(0, MOST_KNOWN).toSorted((a, b) => b.length - a.length)
    this.#values = this.#known.map((value) => JSON.stringify(value).slice(1, -1))
  }
}

function secretsOf({ servers }: Pick<Config, 'servers'>, env: Env): string[] {
  const found = [...[...servers.values()].flatMap(secretsOfServer), ...named(env)]
  return found.filter((value) => value.length >= SHORTEST)
}

function secretsOfServer(server: ServerConfig): string[] {
  if (server.kind === 'broken') return []
  const extra = deep(server.extra)
  if (server.kind === 'stdio')
    return [...extra, ...named(server.env), ...random(server.env), ...ofArguments(server.args)]
  if (server.kind === 'http')
    return [...extra, ...Object.values(server.headers).flatMap(ofHeader), ...ofUrl(server.url)]
  return extra
}

/** Any header may be one by which we are let in; of `Bearer …` the second word alone is a secret too. */
function ofHeader(value: string): string[] {
  return [value, ...value.split(/\s+/)].filter((part) => !/^(?:bearer|basic|token)$/i.test(part))
}

function ofUrl(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { username, password, searchParams } = new URL(address)
  const inQuery = [...searchParams].filter(([name, value]) => isSecret(name, value))
  return [username, password, decodeURIComponent(password), ...inQuery.map(([, value]) => value)]
}

function ofArguments(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, name, value] = /^--?([\w-]+)=(.*)$/s.exec(arg) ?? []
    if (name !== undefined && value !== undefined) return isSecret(name, value) ? [value] : []
    const before = args[index - 1] ?? ''
    const flag = before.startsWith('-') ? before : ''
    return isSecret(flag, arg) ? [arg, ...ofUrl(arg)] : ofUrl(arg)
  })
}

function named(values: Env): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return []
    return SECRET_NAME.test(name) && !PLAIN.test(value) ? [value] : ofUrl(value)
  })
}

function random(values: Env): string[] {
  return Object.values(values).flatMap((value) =>
    value !== undefined && isSecret('', value) ? [value] : [],
  )
}

function isSecret(name: string, value: string): boolean {
  return (
    !PLAIN.test(value) && !value.startsWith('-') && (SECRET_NAME.test(name) || RANDOM.test(value))
  )
}

/** The keys of an API stand somewhere in its own configuration. */
function deep(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return isSecret(name, value) ? [value, ...ofUrl(value)] : ofUrl(value)
  if (Array.isArray(value)) return value.flatMap((part) => deep(part, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) => deep(part, key))
}
