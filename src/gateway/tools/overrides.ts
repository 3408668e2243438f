import type { JsonObject } from '../../base/json/json.ts'
import { compilePattern, isGlob } from '../../base/text/glob.ts'
import type { z } from 'zod'
import type { argumentRules, toolOverride } from './override-schema.ts'

export type ArgumentRules = z.infer<typeof argumentRules>

export interface ToolOverride extends z.infer<typeof toolOverride> {
  /** What is wrong with it: a tool whose override cannot be read is not offered. */
  readonly mistake?: string | undefined
}

/** How an entry changes what agents see of a server. Tools are named as the server names them. */
export interface ServerOverrides {
  /** By name or pattern; what is said of the name itself comes before what a pattern says. */
  readonly tools: Readonly<Record<string, ToolOverride>>
  readonly instructions?: string | undefined
}

/** Whether fixed values refer to keys of the person who calls. */
export function isPersonal(fixed: JsonObject): boolean {
  return JSON.stringify(fixed).includes('${user.')
}

interface Rules {
  readonly parameters?: Readonly<Record<string, object>> | undefined
}

const patternsOf = new WeakMap<
  object,
  readonly { key: string; matches: (name: string) => boolean }[]
>()

function patternsIn(all: Readonly<Record<string, unknown>>) {
  const known = patternsOf.get(all)
  if (known) return known
  const patterns = Object.keys(all)
    .filter(isGlob)
    .map((key) => ({ key, matches: compilePattern(key) }))
  patternsOf.set(all, patterns)
  return patterns
}

/** Returns what is said about a tool that has these names: by patterns in their order, then by name. */
export function rulesAbout<Said extends Rules>(
  all: Readonly<Record<string, Said>>,
  names: readonly string[],
): Said | undefined {
  const keys = patternsIn(all)
    .filter(({ matches }) => names.some(matches))
    .map(({ key }) => key)
  const own = names.find((name) => Object.hasOwn(all, name) && !keys.includes(name))
  const said = [...keys, ...(own === undefined ? [] : [own])].flatMap((key) => all[key] ?? [])
  return said.length < 2 ? said[0] : said.reduce(merged)
}

function merged<Said extends Rules>(one: Said, other: Said): Said {
  const parameters = { ...one.parameters }
  for (const [name, rules] of Object.entries(other.parameters ?? {}))
    parameters[name] = { ...parameters[name], ...rules }
  return { ...one, ...other, ...((one.parameters ?? other.parameters) && { parameters }) }
}
