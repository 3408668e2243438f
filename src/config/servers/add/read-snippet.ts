import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { isSecretName } from '../../../base/secrets/secrets.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import type { Environment } from '../../../base/environment.ts'
import { parseJson } from '../../parse-text.ts'
import { homeFolder, type Workspace } from '../../paths.ts'
import { variableName } from '../../secrets/variable-name.ts'
import { variablesIn } from '../../secrets/variables.ts'
import { serverSchema } from '../servers-schema.ts'
import { convertEntry } from './convert-entry.ts'
import type { DeclaredVariable, PlannedField, ServerPlan } from './server-plan.ts'

export interface SnippetOptions {
  /** The name of an entry that has none, or another name for the only one. */
  readonly name: string | undefined
  readonly place: Workspace
  /** What `${NAME}` stands for already. */
  readonly known: Environment
}

/** Where clients and READMEs keep servers: `mcpServers`, `servers` of VS Code, and others. */
const KEYS = ['mcpServers', 'servers', 'mcp_servers', 'context_servers', 'mcp']

/**
 * Plans the entries of a JSON snippet as READMEs print them: a whole file, a part of one, or a bare
 * entry. Inputs of VS Code, placeholders such as `YOUR_API_KEY` and variables that are not set are
 * asked for.
 */
export function planSnippet(text: string, { name, place, known }: SnippetOptions): ServerPlan[] {
  const content = parsed(text)
  const entries = entriesIn(content)
  if (isEntry(content) || Object.keys(entries).length === 0) {
    if (!isEntry(content)) throw noServer('It has no server with a "command" or a "url"')
    if (name === undefined)
      throw noServer('It is one entry without a name', 'portolan server add NAME followed by it')
    return [toPlan(name, content, { content, place, known })]
  }
  const names = Object.keys(entries)
  if (name !== undefined && names.length > 1)
    throw noServer(`It has ${names.length} servers with names of their own: ${names.join(', ')}`)
  return Object.entries(entries).map(([own, entry]) =>
    toPlan(name ?? own, entry, { content, place, known }),
  )
}

function parsed(text: string): JsonObject {
  const trimmed = text.trim().replace(/,$/, '')
  // A part of a file, as `"github": { … }`.
  const whole = trimmed.startsWith('{') ? trimmed : `{${trimmed}}`
  try {
    const content: unknown = parseJson(whole)
    if (isObject(content)) return content
  } catch (cause) {
    throw noServer(cause instanceof Error ? `It ${cause.message}` : 'It is not JSON')
  }
  throw noServer('It is no JSON object')
}

function entriesIn(content: JsonObject): JsonObject {
  const key = KEYS.find((one) => isObject(content[one]))
  const found = key === undefined ? content : content[key]
  if (!isObject(found)) return {}
  // VS Code keeps them in settings.json one level deeper.
  if (key === 'mcp' && isObject(found['servers'])) return found['servers']
  return Object.fromEntries(Object.entries(found).filter(([, entry]) => isEntry(entry)))
}

function isEntry(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  return ['command', 'url', 'serverUrl', 'openapi', 'builtin'].some(
    (key) => typeof value[key] === 'string',
  )
}

interface Source {
  readonly content: JsonObject
  readonly place: Workspace
  readonly known: Environment
}

function toPlan(name: string, value: unknown, { content, place, known }: Source): ServerPlan {
  if (!isObject(value)) throw noServer(`"${name}" is no object`)
  const clientPlace = { cwd: place.cwd, home: homeFolder(place.env) }
  const converted = convertEntry(value, clientPlace)
  const ours = Object.entries(value).filter(
    ([key, inner]) =>
      Object.hasOwn(serverSchema.shape, key) && !(key === 'tools' && Array.isArray(inner)),
  )
  // Clients know no APIs and no built-ins, so such an entry is one of ours.
  const entry = converted ? { ...Object.fromEntries(ours), ...converted } : value
  const placeholders = (['env', 'headers'] as const).flatMap((at) => fieldsFor(at, entry))
  const open = placeholders.map(({ field }) => field)
  const rest = open.reduce(without, entry)
  const inputs = inputsOf(content)
  const references = variablesIn(JSON.stringify(rest))
    .filter((one) => known[one] === undefined && !JSON.stringify(rest).includes(`\${${one}:-`))
    .map((one): DeclaredVariable => ({
      ...UNKNOWN,
      ...inputs.get(one),
      name: one,
      isReference: true,
    }))
  return {
    name,
    entry: rest,
    fields: open,
    variables: [...placeholders.map(({ variable }) => variable), ...references],
    notes: [],
  }
}

const UNKNOWN = {
  description: '',
  isRequired: true,
  isSecret: true,
  choices: [],
  format: 'string',
} as const

/** `<your-key>`, `YOUR_API_KEY`, `your-token-here`, `xxxx`, `...`: what a README leaves to the reader. */
const PLACEHOLDER =
  /^(?:<[^<>]+>|\[[^[\]]+\]|\.{3}|…|x{3,}|(?:your|my|replace|insert|enter)[-_ ].*|.*[-_ ]here)$/i

function fieldsFor(at: 'env' | 'headers', entry: JsonObject) {
  const values = entry[at]
  if (!isObject(values)) return []
  return Object.entries(values).flatMap(([key, value]) => {
    const [, scheme = '', rest = ''] =
      /^((?:Bearer|Basic|Token)\s+)?(.*)$/s.exec(String(value)) ?? []
    if (!PLACEHOLDER.test(rest)) return []
    const name = variableName(key)
    const isSecret = isSecretName(key)
    const field: PlannedField = { at, key, words: [`${scheme}\${${name}}`], variables: [name] }
    const variable: DeclaredVariable = { ...UNKNOWN, name, isSecret, placeholder: rest }
    return [{ field, variable }]
  })
}

function without(entry: JsonObject, { at, key = '' }: PlannedField): JsonObject {
  const { [at]: values, ...others } = entry
  if (!isObject(values)) return entry
  const { [key]: _, ...kept } = values
  return Object.keys(kept).length === 0 ? others : { ...others, [at]: kept }
}

/** Returns what VS Code would ask for, by the name of our variable. */
function inputsOf({ inputs }: JsonObject): ReadonlyMap<string, Partial<DeclaredVariable>> {
  const found = Array.isArray(inputs) ? inputs.filter(isObject) : []
  return new Map(
    found.map(({ id, description, default: fallback }) => [
      variableName(String(id)),
      {
        description: typeof description === 'string' ? description : '',
        ...(typeof fallback === 'string' && { default: fallback }),
      },
    ]),
  )
}

function noServer(message: string, hint?: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `This JSON cannot be added: ${message}`, {
    hint:
      hint ??
      'Give what the README prints: {"mcpServers": { … }}, {"servers": { … }} or one entry.',
  })
}
