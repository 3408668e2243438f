import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type ServerSource, toSource } from '../../config/servers/add/plan-server.ts'
import type { ServerPlan } from '../../config/servers/add/server-plan.ts'
import { isAddress } from '../../config/trust/named-files.ts'

export interface AddFlags {
  readonly url?: string
  readonly openapi?: string
  readonly builtin?: string
  readonly env?: string[]
  readonly header?: string[]
  readonly description?: string
  readonly sandbox?: boolean
  readonly remote?: true
  readonly project?: true
  readonly mcp?: string
  /** False with `--no-test`. */
  readonly test: boolean
  readonly timeout: number
}

/** What the words and flags of `server add` mean. */
export interface GivenServer {
  readonly name: string | undefined
  readonly source: ServerSource
}

/** Recognises what is to be added: by flags, by the words after the name, or by the only word. */
export async function toGiven(
  first: string,
  words: readonly string[],
  flags: AddFlags,
): Promise<GivenServer> {
  const source = fromFlags(words, flags)
  if (source) return { name: first, source }
  if (words.length > 1) return { name: first, source: { kind: 'command', words } }
  const [word = first] = words
  const only = flags.remote ? ('remote' as const) : undefined
  const read = await sourceOf(word)
  // Only an option says that a file is the description of an API.
  const isProgram = read.kind === 'command' || read.kind === 'openapi'
  if (isProgram && words.length === 0)
    throw new InvalidArgumentError(
      'give either a URL, or the command after two dashes: portolan server add files -- npx -y some-server',
    )
  if (isProgram) return { name: first, source: { kind: 'command', words } }
  const own = words.length > 0 ? first : nameIn(read)
  return { name: own, source: read.kind === 'registry' ? { ...read, only } : read }
}

function fromFlags(words: readonly string[], flags: AddFlags): ServerSource | undefined {
  const { url, openapi, builtin } = flags
  if ([url, openapi, builtin, words[0]].filter((way) => way !== undefined).length > 1)
    throw new InvalidArgumentError('give one of --url, --openapi, --builtin and a command')
  if (url !== undefined) return { kind: 'url', url }
  if (openapi !== undefined) return { kind: 'openapi', openapi: descriptionAt(openapi, flags) }
  return builtin === undefined ? undefined : { kind: 'builtin', builtin }
}

async function sourceOf(word: string): Promise<ServerSource> {
  return word === '-' ? { kind: 'json', text: await readAll(process.stdin) } : toSource(word)
}

/** `https://mcp.linear.app/mcp` → `linear`; other sources have names of their own. */
function nameIn(source: ServerSource): string | undefined {
  if (source.kind !== 'url') return undefined
  const { hostname } = new URL(source.url)
  return hostname
    .split('.')
    .find((label) => /[a-z]/i.test(label) && !/^(?:mcp|api|www)$/i.test(label))
}

/** The path of a description, absolute if the servers file is in another folder. */
function descriptionAt(openapi: string, { project, mcp }: AddFlags): string {
  const isHere = project === true && mcp === undefined
  return isHere || isAddress(openapi) || openapi.startsWith('~') ? openapi : resolve(openapi)
}

/** Adds to an entry what flags say of it. `others` are values that no plan asks for. */
export function withFlags(
  plan: ServerPlan,
  { header, description, sandbox }: AddFlags,
  others: Readonly<Record<string, string>>,
): ServerPlan {
  const { entry } = plan
  const isProgram = entry['command'] !== undefined
  const isOurs = entry['openapi'] !== undefined || entry['builtin'] !== undefined
  if (header && (isProgram || isOurs))
    throw new InvalidArgumentError('--header is for a URL; a command has --env')
  if (!isProgram && Object.keys(others).length > 0)
    throw new InvalidArgumentError('--env is for a command; a URL has --header')
  if (!isProgram && sandbox) throw new InvalidArgumentError('--sandbox is for a command')
  return {
    ...plan,
    entry: {
      ...entry,
      ...(header && { headers: { ...headersOf(entry), ...pairs(header, ':') } }),
      ...(description !== undefined && { description }),
    },
  }
}

function headersOf({ headers }: JsonObject): JsonObject {
  return isObject(headers) ? headers : {}
}

/** Reads options such as `NAME=value`. */
export function pairs(given: readonly string[], divider: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(divider)
      if (at < 1) throw new InvalidArgumentError(`"${text}" is not name${divider}value`)
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    }),
  )
}
