import { setImmediate } from 'node:timers/promises'
import type { ApiTool, ImportReport, ImportedApi } from './api-tool.ts'
import type { ApiDescription, Omission, Operation } from '../spec/operation.ts'
import { ToolNames } from './tool-name.ts'
import type { ToolRules } from './tool-rules.ts'
import { isReadOnly, toTool } from './to-tool.ts'
import { compileWildcards } from '../../../base/text/glob.ts'
import { rulesAbout } from '../../../gateway/tools/overrides.ts'

export interface ImportOptions {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Only operations that change nothing. */
  readonly readOnly?: boolean | undefined
  readonly tools?: Readonly<Record<string, ToolRules>> | undefined
  readonly nameLimit?: number | undefined
  /** Names of parameters that the configured credentials fill. */
  readonly filledByAuth?: readonly string[] | undefined
}

/** Thousands of tools take seconds, so the import pauses this often to let other calls run. */
const MAX_TURN_MS = 15

/** Turns a description into tools, and says what it changed or left out. */
export async function importApi(api: ApiDescription, options: ImportOptions): Promise<ImportedApi> {
  const dropped: Omission[] = [...api.dropped]
  const chosen = api.operations.filter((operation) => {
    const why = reasonToDrop(operation, options)
    if (why !== undefined) dropped.push({ where: keyOf(operation), why })
    return why === undefined
  })
  const renamed: ImportReport['renamed'][number][] = []
  const shortened: string[] = []
  const names = new ToolNames(options.nameLimit)
  for (const operation of chosen) {
    const given = nameByHand(operation, options)
    if (given !== undefined) names.reserve(given)
  }
  const tools: ApiTool[] = []
  const used = new Set<string>()
  let pausedAt = performance.now()
  for (const operation of chosen) {
    if (performance.now() - pausedAt > MAX_TURN_MS) {
      await setImmediate()
      pausedAt = performance.now()
    }
    const given = nameByHand(operation, options)
    // A name that was given twice is made unique like any other.
    const isFree = given !== undefined && !used.has(given)
    const name = isFree ? given : names.name({ ...operation, id: given ?? operation.id })
    used.add(name)
    const why = reasonForName(operation, name, given)
    if (why !== undefined) renamed.push({ from: operation.id ?? keyOf(operation), to: name, why })
    const made = toTool({ api, operation, name, rules: rulesFor(operation, options), options })
    if (made.shortened) shortened.push(name)
    tools.push(made.tool)
  }
  return {
    title: api.title,
    version: api.version,
    description: api.description,
    servers: api.servers,
    security: api.security,
    tools,
    report: {
      title: api.title,
      dialect: api.dialect,
      operations: api.operations.length + api.dropped.length,
      tools: tools.length,
      dropped,
      renamed,
      shortened,
    },
  }
}

function keyOf({ method, path }: Pick<Operation, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`
}

/** Returns the rules for an operation, by its id or as `METHOD /path`. */
export function rulesFor(
  operation: OperationKey,
  { tools = {} }: { readonly tools?: ImportOptions['tools'] },
): ToolRules {
  return rulesAbout(tools, namesOf(operation)) ?? {}
}

type OperationKey = Pick<Operation, 'id' | 'method' | 'path'>

function namesOf(operation: OperationKey): string[] {
  return [operation.id ?? '', keyOf(operation)]
}

function nameByHand(operation: Operation, options: ImportOptions): string | undefined {
  const { rename = {} } = options
  const key = namesOf(operation).find((each) => Object.hasOwn(rename, each))
  return key === undefined ? rulesFor(operation, options).name : rename[key]
}

function reasonToDrop(operation: Operation, options: ImportOptions): string | undefined {
  if (operation.method === 'options' || operation.method === 'trace') {
    return 'the method is about HTTP, not about the API'
  }
  if (options.readOnly === true && !isReadOnly(operation, rulesFor(operation, options))) {
    return 'it changes something and the import is read-only'
  }
  if (rulesFor(operation, options).hidden === true) return 'hidden by a rule'
  return selects(operation, options) ? undefined : 'left out by include or exclude'
}

function reasonForName(operation: Operation, name: string, given: string | undefined) {
  if (given !== undefined) return given === operation.id ? undefined : 'named by a rule'
  if (operation.id === undefined) return 'the operation has no operationId'
  if (operation.id === name) return undefined
  if (operation.id.length > name.length && operation.id.length > 50) return 'the name was too long'
  return 'the name had illegal characters or was taken'
}

interface Selection {
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
}

/** Patterns name an operation id, `METHOD /path`, a path, or `tag:name`; `*` stands for anything. */
export function selects(
  operation: OperationKey & Pick<Operation, 'tags'>,
  { include, exclude }: Selection,
): boolean {
  const names = [
    operation.id ?? '',
    operation.path,
    `${operation.method.toUpperCase()} ${operation.path}`,
    ...operation.tags.map((tag) => `tag:${tag}`),
  ]
  const matches = (pattern: string) =>
    names.some(compileWildcards(pattern, { signs: '*', ignoreCase: true }))
  return (include?.some(matches) ?? true) && !(exclude?.some(matches) ?? false)
}
