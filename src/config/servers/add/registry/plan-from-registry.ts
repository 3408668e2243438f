import { GatewayError } from '../../../../gateway/errors.ts'
import { shellWord } from '../../../../base/text/shell-word.ts'
import type { PlannedField, ServerPlan } from '../server-plan.ts'
import { type RegistryHit, isPrivateHost, isPrivateRegistry } from './read-registry.ts'
import type { RegistryPackage, RegistryRemote } from './registry-server.ts'
import { FieldDraft } from './to-fields.ts'

/** One way to run a server of a registry, or why it is none here. */
export interface RegistryOption {
  readonly kind: 'package' | 'remote'
  /** Such as `npm @scope/name@1.0.0`. */
  readonly label: string
  /** What is missing; undefined if it can be added. */
  readonly problem?: string
}

interface Option extends RegistryOption {
  readonly plan?: Pick<ServerPlan, 'entry' | 'fields' | 'variables'>
}

/** Returns the ways to run a server, in the order in which they are preferred. */
export function optionsOf(hit: RegistryHit): readonly RegistryOption[] {
  return toOptions(hit).map(({ kind, label, problem }) => ({
    kind,
    label,
    ...(problem !== undefined && { problem }),
  }))
}

export interface RegistryChoice {
  /** Its name in the servers file; by default made from its name in the registry. */
  readonly name?: string | undefined
  /** The only kind that is wanted. */
  readonly only?: RegistryOption['kind'] | undefined
  /** Whether a program of it runs in a sandbox. */
  readonly sandbox: boolean
}

/** Plans the entry of a server that a registry has, from the first way to run it that is possible. */
export function planFromRegistry(hit: RegistryHit, choice: RegistryChoice): ServerPlan {
  const { server, status, registry } = hit
  const options = toOptions(hit)
  const usable = options.find(({ kind, plan }) => plan && kind === (choice.only ?? kind))
  if (!usable?.plan) throw noneUsable(hit, options)
  const { entry, fields, variables } = usable.plan
  const isPackage = usable.kind === 'package'
  return {
    name: choice.name ?? localName(server.name),
    entry: { ...entry, ...(isPackage && choice.sandbox && { sandbox: true }) },
    fields,
    variables,
    origin: { registry, name: server.name, version: server.version },
    notes: [
      ...(status === 'active' ? [] : [`The registry calls it ${status}.`]),
      ...options
        .filter((option) => option !== usable)
        .map(({ label, problem }) => `Also ${label}${problem === undefined ? '' : `: ${problem}`}`),
    ],
  }
}

function noneUsable({ server }: RegistryHit, options: readonly Option[]): GatewayError {
  const reasons = options.map(
    ({ label, problem = 'not of the kind you asked for' }) => `${label}: ${problem}`,
  )
  return new GatewayError('INVALID_PARAMS', `${server.name} cannot be added from the registry`, {
    hint: reasons.length === 0 ? 'It names no package and no address.' : reasons.join('; '),
  })
}

/** `io.github.upstash/context7-mcp` → `context7`, `com.notion/mcp` → `notion`. */
export function localName(name: string): string {
  const [namespace = '', own = ''] = name.toLowerCase().split('/')
  const short = own
    .replace(/^(?:mcp-server-|server-|mcp-)/, '')
    .replace(/-(?:mcp-server|mcp|server)$/, '')
  const isBare = /^(?:mcp|server|mcp-server)?$/.test(short)
  const found = isBare ? (namespace.split('.').at(-1) ?? '') : short
  return found.replace(/^[^a-z\d]+/, '') || 'server'
}

function toOptions(hit: RegistryHit): Option[] {
  const { packages, remotes } = hit.server
  const isPrivate = isPrivateRegistry(hit.registry)
  return [
    ...packages.map(fromPackage),
    ...remotes.map((remote) => fromRemote(remote, isPrivate)),
  ].toSorted((one, other) => Number(other.plan !== undefined) - Number(one.plan !== undefined))
}

const NPM_NAME = /^(?=.{1,214}$)(?:@[a-z\d~][a-z\d._~-]*\/)?[a-z\d~][a-z\d._~-]*$/i
const EXACT_VERSION = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/

/** What a person starts by hand instead, by the type of the package. */
const BY_HAND: Readonly<Record<string, (name: string, version: string) => string>> = {
  pypi: (name, version) => `uvx ${name}${version === '' ? '' : `@${version}`}`,
  oci: (name) => `docker run -i --rm ${name}`,
}

function fromPackage(one: RegistryPackage): Option {
  const { registryType: type, identifier, version = '', transport } = one
  const label = `${type} ${clean(identifier)}${version === '' ? '' : `@${clean(version)}`}`
  const draft = new FieldDraft()
  for (const argument of one.packageArguments) draft.addArgument(argument)
  for (const variable of one.environmentVariables) draft.addPair('env', variable)
  const problem = whyNotPackage(one) ?? draft.problems[0]
  if (problem !== undefined || transport.type !== 'stdio') {
    const own = problem ?? `it starts a web server of its own (${transport.type})`
    return { kind: 'package', label, problem: own }
  }
  const entry = { command: 'npx', args: ['-y', `${identifier}@${version}`] }
  return { kind: 'package', label, plan: toPlan(entry, draft) }
}

function whyNotPackage(one: RegistryPackage): string | undefined {
  const { registryType, registryBaseUrl, identifier, version = '', runtimeArguments } = one
  if (registryType !== 'npm') {
    const byHand = BY_HAND[registryType]?.(shellWord(clean(identifier)), clean(version))
    const next = byHand === undefined ? '' : `; by hand: portolan server add NAME -- ${byHand}`
    return `Portolan adds npm packages and remote servers from a registry${next}`
  }
  if (!NPM_NAME.test(identifier)) return 'it is not the name of an npm package'
  if (!EXACT_VERSION.test(version)) return 'it names no exact version'
  if (registryBaseUrl !== undefined && !/^https:\/\/registry\.npmjs\.org\/?$/.test(registryBaseUrl))
    return 'it is in another registry of packages'
  const isPlain = runtimeArguments.every((argument) =>
    /^(?:-y|--yes)$/.test(argument.type === 'named' ? argument.name : (argument.value ?? '')),
  )
  return isPlain ? undefined : 'it wants arguments for npx itself, which decide what is run'
}

function fromRemote(remote: RegistryRemote, isPrivate: boolean): Option {
  const { type, url, headers, variables } = remote
  const label = `remote ${clean(url)}`
  const draft = new FieldDraft()
  draft.addUrl(url, variables)
  for (const header of headers) draft.addPair('headers', header)
  const problem = whyNotAddress(url, draft, isPrivate) ?? draft.problems[0]
  if (problem !== undefined) return { kind: 'remote', label, problem }
  if (type !== 'sse' && type !== 'streamable-http')
    return { kind: 'remote', label, problem: `its transport ${type} is unknown` }
  const plan = toPlan(type === 'sse' ? { type: 'sse' } : {}, draft)
  return { kind: 'remote', label, plan }
}

/** Answers of a public registry lead to public addresses with TLS only. */
function whyNotAddress(url: string, draft: FieldDraft, isPrivate: boolean): string | undefined {
  const text = (draft.fields[0]?.words[0] ?? url).replaceAll(
    /\$\{(\w+)\}/g,
    (_, name: string) => draft.variables.get(name)?.default ?? 'x',
  )
  if (!URL.canParse(text)) return 'its address is none'
  const { protocol, hostname, username } = new URL(text)
  if (username !== '') return 'its address contains a name or password'
  if (isPrivate && /^https?:$/.test(protocol)) return undefined
  if (protocol !== 'https:') return 'its address is not https'
  return isPrivateHost(hostname) ? 'its address is a private one' : undefined
}

/** An address without variables is the same for everybody. */
function isFixed({ at, variables }: PlannedField): boolean {
  return at === 'url' && variables.length === 0
}

function toPlan(entry: ServerPlan['entry'], { fields, variables }: FieldDraft) {
  const [url] = fields.filter(isFixed)
  return {
    entry: { ...entry, ...(url && { url: url.words.join('') }) },
    fields: fields.filter((field) => !isFixed(field)),
    variables: [...variables.values()],
  }
}

function clean(text: string): string {
  return text.replaceAll(/[^\x21-\x7E]/g, '?').slice(0, 200)
}
