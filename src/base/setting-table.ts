import { delimiter } from 'node:path'
import { type Environment, EnvironmentError } from './environment.ts'

/**
 * The settings of a built-in as plain data, from which validation, types, variables and reference
 * are made. Every start loads the manifests, so this uses no schema library.
 */
export type SettingTable = Readonly<Record<string, SettingSpec>>

interface Spec<Type extends string, Value> {
  readonly type: Type
  /** One sentence for the reference. */
  readonly text: string
  readonly default?: Value
  /** Its environment variable, if the system it comes from already has a name for it. */
  readonly variable?: string
}

interface NumberSpec extends Spec<'number' | 'integer', number> {
  readonly min?: number
  readonly max?: number
}

export type SettingSpec =
  | Spec<'string' | 'url', string>
  | Spec<'boolean', boolean>
  /** In a variable, commas separate a list, and folders are separated as in PATH. */
  | Spec<'list' | 'folders', readonly string[]>
  | NumberSpec

interface Values {
  string: string
  url: string
  boolean: boolean
  list: readonly string[]
  folders: readonly string[]
  number: number
  integer: number
}

export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]: Table[Key] extends { readonly default: unknown }
    ? Values[Table[Key]['type']]
    : Values[Table[Key]['type']] | undefined
}

/** `listen.maxBodyBytes` is `PORTOLAN_LISTEN_MAX_BODY_BYTES`. */
export function variableFor(path: readonly string[]): string {
  const words = path.map((key) => key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase())
  return ['PORTOLAN', ...words].join('_')
}

/** The variable that sets a key of the section `name`. */
export function variableOf(name: string, key: string, { variable }: SettingSpec): string {
  return variable ?? variableFor([name, key])
}

/** Reads the section `name` from the environment. An empty variable counts as not set. */
export function readSettings<Table extends SettingTable>(
  table: Table,
  name: string,
  env: Environment,
): SettingValues<Table>
export function readSettings(
  table: SettingTable,
  name: string,
  env: Environment,
): Record<string, unknown> {
  const problems: string[] = []
  const values = Object.entries(table).map(([key, spec]) => {
    const variable = variableOf(name, key, spec)
    const text = env[variable]
    if (text === undefined || text === '') return [key, spec.default]
    const value = fromText(text, spec.type)
    const problem = problemOf(value, spec)
    if (problem !== undefined) problems.push(`${variable}: ${problem}`)
    return [key, value]
  })
  if (problems.length > 0) throw new EnvironmentError(`Bad environment: ${problems.join('; ')}`)
  return Object.fromEntries(values)
}

/** The values of a section as the variables that `readSettings` reads. */
export function toVariables(
  table: SettingTable,
  name: string,
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, spec]) => {
      const value = values[key]
      if (value === undefined) return []
      return [[variableOf(name, key, spec), toText(value, spec.type)]]
    }),
  )
}

/** Converts the text of a variable; returns text that does not fit unchanged, for the error. */
export function fromText(text: string, type: SettingSpec['type']): unknown {
  if (type === 'boolean') return readBoolean(text)
  if (type === 'list' || type === 'folders') return parts(text, separatorOf(type))
  if (type === 'number' || type === 'integer')
    return Number.isNaN(Number(text)) ? text : Number(text)
  return text
}

export function readBoolean(text: string): boolean | string {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  return /^(false|0|no|off)$/i.test(text) ? false : text
}

function toText(value: unknown, type: SettingSpec['type']): string {
  return Array.isArray(value) ? value.join(separatorOf(type)) : String(value)
}

function separatorOf(type: SettingSpec['type']): string {
  return type === 'folders' ? delimiter : ','
}

function parts(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Returns what is wrong with a value, if anything. */
function problemOf(value: unknown, spec: SettingSpec): string | undefined {
  if (!FITS[spec.type](value)) return `expected ${EXPECTED[spec.type]}`
  if (!('min' in spec || 'max' in spec)) return undefined
  const { min = -Infinity, max = Infinity } = spec
  if (Number(value) < min) return `expected ${EXPECTED[spec.type]} of at least ${min}`
  return Number(value) > max ? `expected ${EXPECTED[spec.type]} of at most ${max}` : undefined
}

const EXPECTED: Readonly<Record<SettingSpec['type'], string>> = {
  string: 'a text',
  url: 'an address such as https://example.com',
  boolean: 'true or false',
  list: 'a list of texts',
  folders: 'a list of folders',
  number: 'a number',
  integer: 'a whole number',
}

const isText = (value: unknown) => typeof value === 'string'
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

const FITS: Readonly<Record<SettingSpec['type'], (value: unknown) => boolean>> = {
  string: isText,
  url: (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
  boolean: (value) => typeof value === 'boolean',
  list: areTexts,
  folders: areTexts,
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
}
