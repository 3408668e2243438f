import { PROJECT_FILE } from '../cocosearch-names.ts'
import { nearest } from '../../../base/text/nearest.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { readText } from '../../../base/git/read-git.ts'

const provider = z.enum(['ollama', 'openai', 'openrouter'])

const SCHEMA = z.strictObject({
  indexName: z
    .string()
    .regex(/^[a-zA-Z0-9_]+$/, 'letters, digits and _ only')
    .max(255)
    .optional(),
  linkedIndexes: z.array(z.string()).default([]),
  indexing: z
    .strictObject({
      includePatterns: z.array(z.string()).default([]),
      excludePatterns: z.array(z.string()).default([]),
      chunkSize: z.int().positive().optional(),
      chunkOverlap: z.int().nonnegative().optional(),
    })
    .prefault({}),
  search: z
    .strictObject({
      resultLimit: z.int().positive().default(10),
      minScore: z.number().min(0).max(1).default(0),
    })
    .prefault({}),
  embedding: z
    .strictObject({
      provider: provider.optional(),
      model: z.string().optional(),
      outputDimension: z.int().positive().optional(),
      baseUrl: z.string().optional(),
    })
    .prefault({}),
  controller: z
    .strictObject({
      enabled: z.boolean().default(false),
      provider: provider.optional(),
      model: z.string().optional(),
      baseUrl: z.string().optional(),
      timeout: z.number().positive().default(5),
    })
    .prefault({}),
  /** Files for CocoSearch have it; nothing here writes such a log. */
  logging: z.unknown().optional(),
})

export interface CodeConfig extends z.output<typeof SCHEMA> {
  /** The settings of the project's file that are ignored, each with what to do instead. */
  readonly warnings: readonly string[]
}

/**
 * The author of a repository need not be the operator: only the operator's environment decides
 * where code and keys are sent.
 */
const OPERATOR_SECTIONS: readonly string[] = ['embedding', 'controller']

/** A file or a variable that cannot be used; the message says where and what was expected. */
export class CodeConfigError extends Error {
  override readonly name = 'CodeConfigError'
}

export function findCodeConfig(folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, PROJECT_FILE)).find((file) => existsSync(file))
}

/**
 * Loads the settings of a project: environment over file over defaults. The file is the first one
 * in `folders`; only its literal values outside the operator's sections are used.
 */
export function loadCodeConfig(folders: readonly string[], env: NodeJS.ProcessEnv): CodeConfig {
  const path = findCodeConfig(folders)
  const raw = path === undefined ? {} : readFile(path)
  const { taken, warnings } = takeSettings(raw, env)
  const parsed = SCHEMA.safeParse(withEnvironment(taken, env))
  if (parsed.success) return { ...parsed.data, warnings }
  const problems = parsed.error.issues.map((issue) => explain(issue))
  throw new CodeConfigError(`${path ?? 'PORTOLAN_CODE_* environment'}: ${problems.join('; ')}`)
}

function readFile(path: string): unknown {
  const text = readText(path)
  if (text === undefined)
    throw new CodeConfigError(`${path} cannot be read. Make it a readable file, or remove it.`)
  try {
    return parse(text) ?? {}
  } catch (error) {
    throw new CodeConfigError(`${path} is not valid YAML: ${String(error)}`, { cause: error })
  }
}

interface ProjectSettings {
  readonly taken: unknown
  readonly warnings: readonly string[]
}

/**
 * Returns what a project's file may set; the rest is ignored, with a warning unless the environment
 * sets it.
 */
function takeSettings(raw: unknown, env: NodeJS.ProcessEnv): ProjectSettings {
  if (!isObject(raw)) return { taken: raw, warnings: [] }
  const warnings: string[] = []
  const ignore = (section: string, key: string, reason: string): void => {
    const variable = variableOf(section, key)
    if (env[variable]) return
    const name = section === '' ? key : `${section}.${key}`
    warnings.push(
      `${name} of ${PROJECT_FILE} is ignored: ${reason}. Set ${variable} in the environment of the server instead.`,
    )
  }
  const literals = (section: string, values: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(values).filter(([key, value]) => {
        const isLiteral = isObject(value) || !hasVariable(value)
        if (!isLiteral) ignore(section, key, 'a file of a project cannot read variables')
        return isLiteral
      }),
    )
  const taken: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(literals('', raw))) {
    if (OPERATOR_SECTIONS.includes(name))
      for (const key of Object.keys(isObject(value) ? value : {}))
        ignore(name, key, 'a file of a project cannot choose models or addresses')
    else taken[name] = isObject(value) ? literals(name, value) : value
  }
  return { taken, warnings }
}

function hasVariable(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasVariable)
  return typeof value === 'string' && /\$\{\w+(?::-[^}]*)?\}/.test(value)
}

const LEAVES: readonly (readonly [section: string, key: string])[] = Object.entries(
  SCHEMA.shape,
).flatMap(([section, schema]) => {
  const inner = schema instanceof z.ZodPrefault ? schema.unwrap() : undefined
  if (!(inner instanceof z.ZodObject)) return [['', section] as const]
  return Object.keys(inner.shape).map((key) => [section, key] as const)
})

export const SETTING_VARIABLES: readonly string[] = LEAVES.map(([section, key]) =>
  variableOf(section, key),
)

/** `PORTOLAN_CODE_INDEXING_CHUNK_SIZE` is `indexing.chunkSize`. */
function withEnvironment(value: unknown, env: NodeJS.ProcessEnv): unknown {
  if (!isObject(value)) return value
  const merged: Record<string, unknown> = { ...value }
  for (const [section, key] of LEAVES) {
    const found = env[variableOf(section, key)]
    if (found === undefined || found === '') continue
    if (section === '') merged[key] = fromText(found, key)
    else
      merged[section] = {
        ...(isObject(merged[section]) && merged[section]),
        [key]: fromText(found, key),
      }
  }
  return merged
}

function variableOf(section: string, key: string): string {
  const snake = [section, key]
    .filter((part) => part !== '')
    .map((part) => part.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
  return ['PORTOLAN_CODE', ...snake].join('_')
}

function fromText(text: string, key: string): unknown {
  if (/^(?:indexName|model|baseUrl)$/.test(key)) return text
  if (/Patterns$|^linkedIndexes$/.test(key)) return text.split(',').map((item) => item.trim())
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function explain(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return `${path || 'file'}: ${issue.message}`
  return issue.keys.map((key) => unknownKey(path, key)).join('; ')
}

function unknownKey(section: string, key: string): string {
  const siblings = LEAVES.filter(([parent]) => parent === section).map(([, name]) => name)
  const sections = section === '' ? Object.keys(SCHEMA.shape) : []
  const [meant] = nearest(key.replaceAll('_', ''), [...siblings, ...sections])
  const name = section === '' ? key : `${section}.${key}`
  return `unknown key '${name}'${meant === undefined ? '' : `. Did you mean '${meant}'?`}`
}
