import type { JsonObject } from '../../base/json/json.ts'
import { isPlainPath } from '../../gateway/conditions/within.ts'

/** Fewer calls show nothing usual. */
const MIN_CALLS = 5
const MAX_VALUES = 5
/** The share of calls from which on something is usual. */
const USUAL = 0.8

/**
 * Proposes a condition that most of these calls meet, by what each argument usually is: one of few
 * values, a number in a range, a path below a folder, a URL of few hosts. Undefined if no argument is
 * like that. Arguments it says nothing about are free, so a person has to read it.
 */
export function proposeCondition(calls: readonly JsonObject[]): JsonObject | undefined {
  if (calls.length < MIN_CALLS) return undefined
  const names = new Set(calls.flatMap((args) => Object.keys(args)))
  const found = [...names].flatMap((name) => {
    const values = calls.map((args) => args[name])
    // An argument that is sometimes left out has a meaning then, too.
    const schema = values.includes(undefined) ? undefined : usualOf(values)
    return schema ? [[name, schema] as const] : []
  })
  if (found.length === 0) return undefined
  return { required: found.map(([name]) => name), properties: Object.fromEntries(found) }
}

function usualOf(values: readonly unknown[]): JsonObject | undefined {
  if (values.every((value) => typeof value === 'number')) return rangeOf(values)
  if (values.every((value) => typeof value === 'boolean')) return mostOf(values)
  if (!values.every((value) => typeof value === 'string')) return undefined
  const paths = values.filter(isPlainPath)
  if (paths.length >= values.length * USUAL) return folderOf(values)
  if (values.every((text) => /^https?:\/\//.test(text) && URL.canParse(text)))
    return hostsOf(values)
  return mostOf(values)
}

/** Leaves out the largest tenth. */
function rangeOf(values: readonly number[]): JsonObject {
  const sorted = values.toSorted((a, b) => a - b)
  const maximum = sorted[Math.floor((sorted.length - 1) * 0.9)]
  return { type: 'number', minimum: sorted[0], maximum }
}

/** The commonest values, if few values are nearly all of them. */
function mostOf(values: readonly (string | boolean)[]): JsonObject | undefined {
  const common = commonest(values)
  const isUsual = values.filter((value) => common.includes(value)).length >= values.length * USUAL
  return isUsual && new Set(values).size < values.length ? { enum: common } : undefined
}

function hostsOf(values: readonly string[]): JsonObject | undefined {
  const hosts = mostOf(values.map((text) => new URL(text).hostname))
  return hosts && { type: 'string', host: hosts['enum'] }
}

/** The deepest folder that has nearly all of the paths. */
function folderOf(paths: readonly string[]): JsonObject | undefined {
  let folder = ''
  for (;;) {
    const inside = paths.filter((path) => path.startsWith(`${folder}/`))
    const [next] = commonest(
      inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
    )
    const deeper = `${folder}/${next ?? ''}`
    const below = paths.filter((path) => path.startsWith(`${deeper}/`))
    if (next === undefined || below.length < paths.length * USUAL) break
    folder = deeper
  }
  return folder === '' ? undefined : { type: 'string', within: folder }
}

function commonest<Value>(values: readonly Value[]): Value[] {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_VALUES)
    .map(([value]) => value)
}
