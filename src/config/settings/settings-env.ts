import { THEIR_SETTINGS } from '../agent-mcp-gateway-names.ts'
import { z } from 'zod'
import type { Environment } from '../../base/environment.ts'
import { fromText, readBoolean, variableFor, variableOf } from '../../base/setting-table.ts'
import { BUILTINS } from '../../builtins/index.ts'
import { bare, leaves } from './schema-tree.ts'
import { settingsSchema } from './settings.ts'

/** A value for one setting, and the variable it came from. */
export interface EnvSetting {
  readonly path: readonly string[]
  readonly value: unknown
  readonly variable: string
}

/** Names people already use, weakest first; our own `PORTOLAN_…` names override them all. */
export const FOREIGN: readonly (readonly [variable: string, path: string])[] = [
  ['MCP_TRANSPORT', 'listen.transport'],
  ['MCP_HOST', 'listen.host'],
  ['MCP_PORT', 'listen.port'],
  ['MCP_PATH', 'listen.path'],
  ...THEIR_SETTINGS,
]

const LEAVES = leaves(settingsSchema)
const BY_PATH = new Map(LEAVES.map((leaf) => [leaf.path.join('.'), leaf.schema]))

/** The variable of each key in the sections of built-ins. */
const BUILTIN_VARIABLES = new Map(
  BUILTINS.flatMap(({ name, settings = {} }) =>
    Object.entries(settings).map(([key, spec]) => [
      `${name}.${key}`,
      { variable: variableOf(name, key, spec), type: spec.type },
    ]),
  ),
)

/** Returns the variable of a key: its path in capitals, or the name in the original system. */
export function variableOfSetting(path: readonly string[]): string {
  return BUILTIN_VARIABLES.get(path.join('.'))?.variable ?? variableFor(path)
}

/** Returns the settings in the environment, weakest first. Empty variables count as not set. */
export function settingsFromEnv(env: Environment): EnvSetting[] {
  const ours = LEAVES.map(({ path }) => [variableOfSetting(path), path.join('.')] as const)
  return [...FOREIGN, ...ours].flatMap(([variable, dotted]) => {
    const text = env[variable]
    const schema = BY_PATH.get(dotted)
    if (text === undefined || text === '' || schema === undefined) return []
    return [{ path: dotted.split('.'), value: readValue(text, bare(schema), dotted), variable }]
  })
}

function readValue(text: string, schema: z.core.$ZodType, path: string): unknown {
  const own = BUILTIN_VARIABLES.get(path)
  if (own) return fromText(text, own.type)
  if (path === 'listen.transport') return text === 'stdio' ? text : transportName(text)
  if (schema instanceof z.ZodArray) {
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }
  if (schema instanceof z.ZodNumber) return Number.isNaN(Number(text)) ? text : Number(text)
  if (schema instanceof z.ZodRecord) return parseJson(text)
  if (mayBeBoolean(schema)) return readBoolean(text)
  return text
}

function mayBeBoolean(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.some(mayBeBoolean)
  return schema instanceof z.ZodBoolean
}

/** The names that the servers of others have for it; one HTTP server speaks all of them. */
const HTTP_NAMES = [
  'http',
  'sse',
  'http-sse',
  'streamable-http',
  'streamable_http',
  'websocket',
  'ws',
]

function transportName(text: string): string {
  return HTTP_NAMES.includes(text) ? 'http' : text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
