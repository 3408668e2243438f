import { type JsonObject, isObject } from '../../base/json/json.ts'
import { isGlob } from '../../base/text/glob.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { TOOL_WORDS, argumentRules, toolOverride } from '../../gateway/tools/override-schema.ts'
import type { ServerOverrides, ToolOverride } from '../../gateway/tools/overrides.ts'
import { READ_ONCE, describeIssue, typeName } from '../issues.ts'

/** Reports a mistake at a place in the entry. */
type Report = (path: readonly PropertyKey[], message: string, hint?: string) => void

/**
 * Reads `tools` and `instructions` of an entry. A mistake concerns one override alone, whose tools are
 * then not offered: what it was to hide or to fix must not be open instead.
 */
export function parseOverrides(entry: JsonObject, report: Report): ServerOverrides | undefined {
  const { instructions } = entry
  // A list is a word of other clients, which read the same file.
  const tools = Array.isArray(entry['tools']) ? undefined : entry['tools']
  if (tools === undefined && instructions === undefined) return undefined
  if (tools !== undefined && !isObject(tools))
    report(['tools'], `"tools" must be an object, got ${typeName(tools)}`)
  const overrides = Object.entries(isObject(tools) ? tools : {}).map(
    ([key, raw]) => [key, parseOverride(key, raw, report)] as const,
  )
  return {
    tools: isObject(tools) || tools === undefined ? withUniqueNames(overrides, report) : NO_TOOLS,
    ...(typeof instructions === 'string' && { instructions }),
  }
}

const NO_TOOLS = { '*': { mistake: '"tools" of its entry is no object' } }

function parseOverride(key: string, raw: unknown, report: Report): ToolOverride {
  const parsed = toolOverride.safeParse(raw, READ_ONCE)
  if (!parsed.success) {
    const messages = parsed.error.issues.map((issue) => {
      const at = issue.path.length === 0 ? 'it' : `"${issue.path.join('.')}"`
      const unknown = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : undefined
      const message =
        unknown === undefined
          ? `${at} ${describeIssue(issue, raw)}`
          : `"${unknown}" is no word about a ${isOfArgument(issue.path) ? 'parameter' : 'tool'}`
      const path = unknown === undefined ? issue.path : [...issue.path, unknown]
      report(['tools', key, ...path], message, unknown && hintFor(unknown, issue.path))
      return message
    })
    return { mistake: messages.join('; ') }
  }
  if (parsed.data.name === undefined || !isGlob(key)) return parsed.data
  const message = 'a pattern stands for several tools, which cannot have one name'
  report(['tools', key, 'name'], message, 'name each tool by itself')
  return { mistake: message }
}

function isOfArgument(path: readonly PropertyKey[]): boolean {
  return path[0] === 'parameters'
}

/** Words of API packs for which other servers have settings. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  readOnly: 'write "effect": "read"',
  budgetTokens: 'set budgets.tools in portolan.yaml',
  cacheSeconds: 'set cache.tools in portolan.yaml',
}

function hintFor(word: string, path: readonly PropertyKey[]): string | undefined {
  const words = isOfArgument(path) ? argumentRules.shape : TOOL_WORDS
  return ELSEWHERE[word] ?? didYouMean(word, Object.keys(words))
}

function withUniqueNames(
  overrides: readonly (readonly [string, ToolOverride])[],
  report: Report,
): Record<string, ToolOverride> {
  const owners = new Map<string, string>()
  return Object.fromEntries(
    overrides.map(([key, override]) => {
      const { name } = override
      const owner = name === undefined ? undefined : owners.get(name)
      if (name !== undefined && owner === undefined) owners.set(name, key)
      if (owner === undefined) return [key, override]
      const message = `"${owner}" has the name "${name}" too`
      report(['tools', key, 'name'], message, 'give one of them another name')
      return [key, { mistake: message }]
    }),
  )
}
