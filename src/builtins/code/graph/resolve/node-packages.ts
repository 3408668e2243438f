import { isObject } from '../../../../base/json/json.ts'
import { parseJsonc } from './parse-jsonc.ts'
import { type ProjectFiles, folderOf, foldersUp, joinPath } from '../project-files.ts'

interface NodePackage {
  readonly folder: string
  readonly manifest: Record<string, unknown>
}

/** The packages that live in this project: workspaces, and the project itself. */
export interface NodePackages {
  /** Project paths that `name` or `name/sub` may mean, best first; none for external packages. */
  candidates(specifier: string, conditions: readonly string[]): readonly string[]
  /** The same for `#name`, by the `imports` of the package that the file belongs to. */
  internal(from: string, specifier: string, conditions: readonly string[]): readonly string[]
}

const MAX_FOLDERS_ASKED = 2_000
const CONDITIONS = ['types', 'import', 'module', 'node', 'default']

export function createNodePackages(files: ProjectFiles): NodePackages {
  const byFolder = new Map<string, NodePackage>()
  const byName = new Map<string, NodePackage>()
  for (const path of manifestPaths(files)) {
    const text = files.read(path)
    const manifest = text === undefined ? undefined : parseJsonc(text)
    if (!isObject(manifest)) continue
    const found = { folder: folderOf(path), manifest }
    byFolder.set(found.folder, found)
    const name = manifest['name']
    if (typeof name === 'string' && !byName.has(name)) byName.set(name, found)
  }
  return {
    candidates(specifier, conditions) {
      const [, name = '', sub] = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
      const owner = byName.get(name)
      return owner ? entryPoints(owner, sub, conditions) : []
    },
    internal(from, specifier, conditions) {
      for (const folder of foldersUp(folderOf(from))) {
        const owner = byFolder.get(folder)
        if (!owner) continue
        const targets = lookUp(owner.manifest['imports'], specifier, conditions)
        return places(owner.folder, targets)
      }
      return []
    },
  }
}

/** Tries likely folders too: an ignored manifest is not indexed, but still applies. */
function* manifestPaths(files: ProjectFiles): Generator<string> {
  const asked = new Set<string>()
  for (const path of files.paths) {
    for (const folder of foldersUp(folderOf(path))) {
      if (asked.has(folder)) break
      asked.add(folder)
      const manifest = folder === '' ? 'package.json' : `${folder}/package.json`
      const likely = folder.split('/').length <= 3 && asked.size < MAX_FOLDERS_ASKED
      if (files.has(manifest) || likely) yield manifest
    }
  }
}

function entryPoints(
  { folder, manifest }: NodePackage,
  sub: string | undefined,
  conditions: readonly string[],
): string[] {
  const declared = lookUp(manifest['exports'], sub === undefined ? '.' : `./${sub}`, conditions)
  if (declared.length > 0) return places(folder, declared)
  if (sub !== undefined) return places(folder, [sub])
  const mains = ['types', 'typings', 'module', 'main', 'source'].map((key) => manifest[key])
  return places(folder, [...mains.filter((main) => typeof main === 'string'), 'src/index', 'index'])
}

/** Returns the targets of a key in `exports` or `imports`, best first. */
function lookUp(table: unknown, key: string, conditions: readonly string[]): string[] {
  if (table === undefined) return []
  const holds = [...conditions, ...CONDITIONS]
  if (!isObject(table) || !Object.keys(table).some((name) => /^[.#]/.test(name))) {
    return key === '.' ? flatten(table, holds) : []
  }
  if (key in table) return flatten(table[key], holds)
  for (const [pattern, target] of Object.entries(table)) {
    const star = pattern.indexOf('*')
    if (star < 0) continue
    const [prefix, suffix] = [pattern.slice(0, star), pattern.slice(star + 1)]
    if (!key.startsWith(prefix) || !key.endsWith(suffix)) continue
    const middle = key.slice(prefix.length, key.length - suffix.length)
    return flatten(target, holds).map((path) => path.replaceAll('*', middle))
  }
  return []
}

/** Targets of conditions that hold come first; others may lead to a source before a build. */
function flatten(target: unknown, holds: readonly string[]): string[] {
  const chosen = choose(target, (condition) => holds.includes(condition))
  return [...new Set([...chosen, ...choose(target, () => true)])]
}

function choose(target: unknown, holds: (condition: string) => boolean): string[] {
  if (typeof target === 'string') return [target]
  if (Array.isArray(target)) return target.flatMap((item) => choose(item, holds))
  if (!isObject(target)) return []
  return Object.entries(target)
    .filter(([condition]) => holds(condition))
    .flatMap(([, value]) => choose(value, holds))
}

/**
 * Returns the named paths and, because a fresh checkout has nothing built yet, the sources that a
 * build folder is made from.
 */
function places(folder: string, targets: readonly string[]): string[] {
  return targets.flatMap((target) => {
    const path = joinPath(folder, target)
    if (path === undefined) return []
    const inPackage = folder === '' ? path : path.slice(folder.length + 1)
    const [, rest] = /^(?:dist|build|lib|out|esm|cjs)\/(.+)$/.exec(inPackage) ?? []
    if (rest === undefined) return [path]
    const built = rest.replace(/^(?:esm|cjs|types|node|es|browser)\//, '')
    const sources = ['src/', 'lib/', ''].map((source) => joinPath(folder, source + built) ?? path)
    return [path, ...sources]
  })
}
