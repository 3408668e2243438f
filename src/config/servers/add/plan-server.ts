import { existsSync } from 'node:fs'
import { findProgram } from '../../../base/files/find-program.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { shellWord } from '../../../base/text/shell-word.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { type Workspace, expandPath } from '../../paths.ts'
import { planFromRegistry } from './registry/plan-from-registry.ts'
import { findInRegistries } from './registry/read-registry.ts'
import { readSecrets } from '../../secrets/stored-secrets.ts'
import { planSnippet } from './read-snippet.ts'
import type { ServerPlan } from './server-plan.ts'

/** What a new server is made from. */
export type ServerSource =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'openapi'; readonly openapi: string }
  | { readonly kind: 'builtin'; readonly builtin: string }
  | {
      readonly kind: 'registry'
      readonly registryName: string
      readonly version?: string | undefined
      /** The only way to run it that is wanted. */
      readonly only?: 'package' | 'remote' | undefined
    }

export interface PlanOptions {
  /** Its name in the servers file; undefined where the source names it. */
  readonly name: string | undefined
  readonly place: Workspace
  /** The data folder. */
  readonly home: string
  readonly registries: readonly string[]
  /** Whether programs run in a sandbox; undefined for those that a registry names alone. */
  readonly sandbox: { readonly isPossible: boolean; readonly wanted: boolean | undefined }
}

const REGISTRY_NAME = /^([a-z\d-]+(?:\.[a-z\d-]+)+\/[\w.-]+)(?:@([\w.+-]+))?$/i

/** Recognises what a person typed or pasted into one field; a program with its arguments otherwise. */
export function toSource(given: string): ServerSource {
  const text = given.trim()
  if (/^[{"]/.test(text)) return { kind: 'json', text }
  const isOneWord = !/\s/.test(text)
  if (isOneWord && isDescription(text)) return { kind: 'openapi', openapi: text }
  if (isOneWord && /^https?:\/\//i.test(text)) return { kind: 'url', url: text }
  const [, registryName, version] = REGISTRY_NAME.exec(text) ?? []
  if (registryName !== undefined && !existsSync(text))
    return { kind: 'registry', registryName, version }
  return { kind: 'command', words: splitWords(text) }
}

/** Whether a word names the description of an API by its ending. */
export function isDescription(word: string): boolean {
  return /\.(?:ya?ml|json)(?:[?#].*)?$/i.test(word)
}

/** Splits a command as a shell would, without variables and wildcards. */
function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
    ),
  )
}

/** Plans the servers of a source; a JSON snippet may have several. Starts nothing, and writes nothing. */
export async function planServers(
  source: ServerSource,
  options: PlanOptions,
): Promise<ServerPlan[]> {
  const plans = await plansOf(source, options)
  for (const { name } of plans) checkName(name)
  return plans
}

async function plansOf(source: ServerSource, options: PlanOptions): Promise<ServerPlan[]> {
  const { name, place, home, registries, sandbox } = options
  if (source.kind === 'json') {
    const known = { ...readSecrets(home, place.env), ...place.env }
    return planSnippet(source.text, { name, place, known }).map((plan) => inSandbox(plan, options))
  }
  if (source.kind === 'registry') {
    const { registryName, version, only } = source
    const hit = await findInRegistries(registryName, version, { registries, place })
    return [planFromRegistry(hit, { name, only, sandbox: sandbox.wanted ?? sandbox.isPossible })]
  }
  if (name === undefined)
    throw new GatewayError('INVALID_PARAMS', 'The server has no name', {
      hint: 'Give one first: portolan server add NAME …',
    })
  return [
    inSandbox(
      { name, entry: entryOf(name, source), fields: [], variables: [], notes: [] },
      options,
    ),
  ]
}

function entryOf(
  name: string,
  source: Exclude<ServerSource, { kind: 'json' | 'registry' }>,
): JsonObject {
  if (source.kind === 'url') return { url: mustBeServer(name, source.url) }
  if (source.kind === 'openapi') return { openapi: source.openapi }
  if (source.kind === 'builtin') return { builtin: source.builtin }
  const [command = '', ...args] = source.words
  if (args.length === 0) mustBeServer(name, command)
  return { command, ...(args.length > 0 && { args }) }
}

/** The description of an API is a server only with the key `openapi`. */
function mustBeServer(name: string, word: string): string {
  if (!isDescription(word)) return word
  throw new GatewayError('INVALID_PARAMS', `${word} is the description of an API, and no server`, {
    hint: `portolan server add ${shellWord(name)} --openapi ${shellWord(word)}`,
  })
}

function inSandbox(plan: ServerPlan, { sandbox }: PlanOptions): ServerPlan {
  if (sandbox.wanted !== true || plan.entry['command'] === undefined) return plan
  return { ...plan, entry: { sandbox: true, ...plan.entry } }
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u

function checkName(name: string): void {
  if (NAME.test(name)) return
  throw new GatewayError(
    'INVALID_PARAMS',
    `${JSON.stringify(name)} cannot be the name of a server`,
    {
      hint: `Rules, addresses and tools use it: take letters, digits, ".", "_" and "-", such as ${suggestion(name)}.`,
    },
  )
}

function suggestion(name: string): string {
  const made = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-._]+|-+$/g, '')
  return made === '' ? 'my-server' : made.slice(0, 64)
}

/** Throws if the program of an entry cannot be started, with what was probably meant. */
export function checkProgram(name: string, { command, args }: JsonObject, place: Workspace): void {
  if (typeof command !== 'string') return
  const isAlone = !Array.isArray(args) || args.length === 0
  const path = command.startsWith('~') ? expandPath(command, place) : command
  if (command.includes('${') || findProgram(path, place.env) !== undefined) return
  const [program = '', ...words] = command.split(/\s+/)
  const isLine = isAlone && words.length > 0 && findProgram(program, place.env) !== undefined
  throw new GatewayError('INVALID_PARAMS', `There is no program "${command}" here`, {
    hint: isLine
      ? `Give its words separately: portolan server add ${shellWord(name)} -- ${command}`
      : 'Install it, or give its path. --no-test adds it anyway, for another machine.',
  })
}
