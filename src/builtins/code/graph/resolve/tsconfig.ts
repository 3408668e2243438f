import { isObject } from '../../../../base/json/json.ts'
import { parseJsonc } from './parse-jsonc.ts'
import { type ProjectFiles, folderOf, foldersUp, joinPath } from '../project-files.ts'

/** The settings of a `tsconfig.json` that affect module resolution. */
export interface TsConfig {
  readonly paths: readonly PathMapping[]
  readonly baseUrl: string | undefined
  readonly customConditions: readonly string[]
}

interface PathMapping {
  readonly prefix: string
  /** Undefined for an exact name. */
  readonly suffix: string | undefined
  /** Project paths, with `*` where the matched part goes. */
  readonly targets: readonly string[]
}

const NONE: TsConfig = { paths: [], baseUrl: undefined, customConditions: [] }

/**
 * Finds the settings of a file: those of the nearest `tsconfig.json` or `jsconfig.json`, with what
 * it extends.
 */
export function createTsConfigs(files: ProjectFiles): (path: string) => TsConfig {
  const loaded = new Map<string, TsConfig | undefined>()
  const load = (path: string): TsConfig | undefined => {
    if (!loaded.has(path)) {
      loaded.set(path, undefined) // Guards against files that extend each other.
      loaded.set(path, readConfig(files, path, load))
    }
    return loaded.get(path)
  }
  const byFolder = new Map<string, TsConfig>()
  return (path) => {
    const folder = folderOf(path)
    const known = byFolder.get(folder)
    if (known) return known
    let found: TsConfig | undefined
    for (const above of foldersUp(folder)) {
      found = NAMES.map((name) => load(inside(above, name))).find((config) => config !== undefined)
      if (found) break
    }
    byFolder.set(folder, found ?? NONE)
    return found ?? NONE
  }
}

/** A project whose programs share settings often has only a base configuration at its root. */
const NAMES = ['tsconfig.json', 'jsconfig.json', 'tsconfig.base.json']

const inside = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`

type Load = (path: string) => TsConfig | undefined

function readConfig(files: ProjectFiles, path: string, load: Load): TsConfig | undefined {
  const text = files.read(path)
  if (text === undefined) return undefined
  const config = parseJsonc(text)
  if (!isObject(config)) return undefined
  const folder = folderOf(path)
  const inherited = extended(files, folder, config['extends'], load)
  const parts = referenced(folder, config['references'], load)
  const options = isObject(config['compilerOptions']) ? config['compilerOptions'] : {}
  const baseUrl =
    typeof options['baseUrl'] === 'string' ? joinPath(folder, options['baseUrl']) : undefined
  return {
    baseUrl: baseUrl ?? inherited.baseUrl ?? parts.find((part) => part.baseUrl)?.baseUrl,
    paths: isObject(options['paths'])
      ? mappings(options['paths'], baseUrl ?? inherited.baseUrl ?? folder)
      : [...inherited.paths, ...parts.flatMap((part) => part.paths)],
    customConditions: Array.isArray(options['customConditions'])
      ? options['customConditions'].map(String)
      : inherited.customConditions,
  }
}

function extended(files: ProjectFiles, folder: string, value: unknown, load: Load): TsConfig {
  let merged = NONE
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'string') continue
    const parent = item.startsWith('.') ? joinPath(folder, item) : inside('node_modules', item)
    if (parent === undefined) continue
    const found = load(files.read(parent) === undefined ? `${parent}.json` : parent)
    if (found) merged = overridden(merged, found)
  }
  return merged
}

/** Each setting is that of the last file that has it. */
function overridden(before: TsConfig, last: TsConfig): TsConfig {
  const { paths, baseUrl, customConditions } = last
  return {
    paths: paths.length > 0 ? paths : before.paths,
    baseUrl: baseUrl ?? before.baseUrl,
    customConditions: customConditions.length > 0 ? customConditions : before.customConditions,
  }
}

/** Returns the settings that a `tsconfig.json` divides among files such as `tsconfig.app.json`. */
function referenced(folder: string, value: unknown, load: Load): TsConfig[] {
  return (Array.isArray(value) ? value : []).flatMap((item) => {
    const path: unknown = isObject(item) ? item['path'] : undefined
    if (typeof path !== 'string' || !path.endsWith('.json')) return []
    return load(joinPath(folder, path) ?? '') ?? []
  })
}

function mappings(paths: Record<string, unknown>, base: string): PathMapping[] {
  return Object.entries(paths).flatMap(([pattern, targets]) => {
    if (!Array.isArray(targets)) return []
    const star = pattern.indexOf('*')
    return {
      prefix: star < 0 ? pattern : pattern.slice(0, star),
      suffix: star < 0 ? undefined : pattern.slice(star + 1),
      targets: targets
        .map((target) => joinPath(base, String(target)))
        .filter((target) => target !== undefined),
    }
  })
}

/** Returns the paths that `paths` and `baseUrl` give for a name, best first. */
export function mappedCandidates({ paths, baseUrl }: TsConfig, name: string): string[] {
  const best = paths
    .filter((mapping) => matches(mapping, name))
    .toSorted(
      (a, b) =>
        Number(a.suffix !== undefined) - Number(b.suffix !== undefined) ||
        b.prefix.length - a.prefix.length,
    )[0]
  const mapped = best
    ? best.targets.map((target) =>
        target.replace(
          '*',
          name.slice(best.prefix.length, name.length - (best.suffix?.length ?? 0)),
        ),
      )
    : []
  const based = baseUrl === undefined ? undefined : joinPath(baseUrl, name)
  return based === undefined ? mapped : [...mapped, based]
}

function matches({ prefix, suffix }: PathMapping, name: string): boolean {
  if (suffix === undefined) return name === prefix
  return (
    name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  )
}
