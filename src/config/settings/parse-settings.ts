import { isObject, type JsonObject } from '../../base/json/json.ts'
import { READ_ONCE, describeIssue, valueAt } from '../issues.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { type Workspace, expandPath } from '../paths.ts'
import { type Problem, formatPath } from '../problem.ts'
import { keysAt } from './schema-tree.ts'
import { type Settings, type SettingsInput, settingsSchema } from './settings.ts'
import { type EnvSetting, settingsFromEnv } from './settings-env.ts'

interface SettingsFile {
  readonly path: string
  readonly content: JsonObject
}

export interface SettingsSources {
  /** Weakest first; there may be none. */
  readonly files: readonly SettingsFile[]
  readonly overrides?: SettingsInput | undefined
  readonly place: Workspace
}

export interface ParsedSettings {
  readonly settings: Settings | undefined
  readonly problems: readonly Problem[]
}

/** Merges, strongest first: flags, environment, the project's file, the user's file, defaults. */
export function parseSettings({ files, overrides, place }: SettingsSources): ParsedSettings {
  const fromEnv = settingsFromEnv(place.env)
  const layers = [
    ...files.map(({ content }) => content),
    ...fromEnv.map(asObject),
    { ...overrides },
  ]
  const merged = layers.reduce(merge, {})
  const parsed = settingsSchema.safeParse(merged, READ_ONCE)
  if (parsed.success) return { settings: expandPaths(parsed.data, place), problems: [] }
  const fileOf = (path: readonly PropertyKey[]) =>
    (files.findLast(({ content }) => valueAt(content, path) !== undefined) ?? files.at(-1))?.path ??
    'settings'
  const problems = parsed.error.issues.flatMap((issue): Problem[] => {
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(settingsSchema, issue.path)
      return issue.keys.map((key) => ({
        file: fileOf([...issue.path, key]),
        path: formatPath([...issue.path, key]),
        message: `unknown key "${key}", expected one of ${known.join(', ')}`,
        hint: didYouMean(key, known),
      }))
    }
    const origin = fromEnv.findLast((setting) => isWithin(issue.path, setting.path))
    const message = describeIssue(issue, merged)
    return origin === undefined
      ? [{ file: fileOf(issue.path), path: formatPath(issue.path), message }]
      : [{ file: 'environment', path: origin.variable, message }]
  })
  return { settings: undefined, problems }
}

function expandPaths(settings: Settings, place: Workspace): Settings {
  const { path } = settings.audit
  return {
    ...settings,
    home: expandPath(settings.home, place),
    audit: { ...settings.audit, ...(path !== undefined && { path: expandPath(path, place) }) },
  }
}

function asObject({ path, value }: EnvSetting): JsonObject {
  const [last = '', ...outer] = path.toReversed()
  return outer.reduce<JsonObject>((inner, key) => ({ [key]: inner }), { [last]: value })
}

/** Merges objects key by key and replaces anything else, except by undefined. */
function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged = { ...under }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const below = merged[key]
    merged[key] = isObject(value) && isObject(below) ? merge(below, value) : value
  }
  return merged
}

function isWithin(path: readonly PropertyKey[], prefix: readonly string[]): boolean {
  return prefix.every((key, index) => path[index] === key)
}
