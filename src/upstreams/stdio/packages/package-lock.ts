import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { LockedPackage } from '../../../gateway/tools/locked-package.ts'
import { PackageError } from './package-error.ts'

const MODULES = 'node_modules/'
/** Fields of an optional dependency that say where it is installed. */
const PLATFORM = ['os', 'cpu', 'libc'] as const

/** Reads a `package-lock.json` of npm in which one package is installed. */
export function fromPackageLock(content: unknown, name: string): LockedPackage {
  const packages = isObject(content) && isObject(content['packages']) ? content['packages'] : {}
  const dependencies: Record<string, string> = {}
  for (const [path, entry] of Object.entries(packages)) {
    // What is bundled is part of the archive of another package.
    if (path === '' || !isObject(entry) || entry['inBundle'] === true) continue
    dependencies[path] = toText(path, entry)
  }
  const { [`${MODULES}${name}`]: own, ...others } = dependencies
  const { version, integrity } = toEntry(own ?? '')
  if (version === undefined || integrity === undefined)
    throw new PackageError(`npm has not installed ${name}`, 'Look at what npm says about it.')
  return { name, version, integrity, dependencies: others }
}

/**
 * Returns the `package.json` and the `package-lock.json` with which npm installs exactly this: what is
 * in a folder is a dependency of the package there, in exactly this version.
 */
export function toPackageLock({ name, version, integrity = '', dependencies }: LockedPackage): {
  readonly manifest: JsonObject
  readonly lock: JsonObject
} {
  const all = { ...dependencies, [`${MODULES}${name}`]: `${version} ${integrity}` }
  const packages: Record<string, Record<string, unknown>> = { '': {} }
  for (const [path, text] of Object.entries(all).toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const at = path.lastIndexOf(MODULES)
    const parent = path.slice(0, at).replace(/\/$/, '')
    const entry = toEntry(text)
    const key = entry['optional'] ? 'optionalDependencies' : 'dependencies'
    const alias = path.slice(at + MODULES.length)
    const wanted = entry.name === undefined ? entry.version : `npm:${entry.name}@${entry.version}`
    const above = (packages[parent] ??= {})
    above[key] = { ...(isObject(above[key]) ? above[key] : {}), [alias]: wanted }
    packages[path] = { ...packages[path], ...entry }
  }
  return {
    manifest: { private: true, ...packages[''] },
    lock: { lockfileVersion: 3, requires: true, packages },
  }
}

/** Writes an entry as one line, so that a change of it is one line as well. */
function toText(path: string, entry: JsonObject): string {
  const { version, integrity, name } = entry
  if (typeof version !== 'string' || typeof integrity !== 'string')
    throw new PackageError(
      `it depends on ${path.slice(path.lastIndexOf(MODULES) + MODULES.length)}, which comes from no registry`,
      'Such a package cannot be pinned.',
    )
  const platform = PLATFORM.flatMap((key) => {
    const values = entry[key]
    return Array.isArray(values) ? [`${key}=${values.join(',')}`] : []
  })
  const words = [
    version,
    integrity.replaceAll(/\s+/g, ','),
    ...(typeof name === 'string' ? [`name=${name}`] : []),
    ...(entry['optional'] === true ? ['optional'] : []),
    ...platform,
  ]
  return words.join(' ')
}

function toEntry(
  text: string,
): { version?: string; integrity?: string; name?: string } & JsonObject {
  const [version, integrity, ...words] = text === '' ? [] : text.split(' ')
  const rest = words.map((word): [string, unknown] => {
    const [key = '', value] = word.split('=')
    if (value === undefined) return [key, true]
    return [key, key === 'name' ? value : value.split(',')]
  })
  return {
    ...(version !== undefined && { version }),
    ...(integrity !== undefined && { integrity: integrity.replaceAll(',', ' ') }),
    ...Object.fromEntries(rest),
  }
}

/** Returns what npm has installed in another version or from another archive than it should. */
export function differenceFrom(locked: LockedPackage, content: unknown): string | undefined {
  const packages = isObject(content) && isObject(content['packages']) ? content['packages'] : {}
  const { packages: wanted } = toPackageLock(locked).lock
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '' || !isObject(entry) || entry['inBundle'] === true) continue
    const should = isObject(wanted) ? wanted[path] : undefined
    const isSame =
      isObject(should) &&
      should['version'] === entry['version'] &&
      should['integrity'] === entry['integrity']
    if (!isSame) return path
  }
  return `${MODULES}${locked.name}` in packages ? undefined : `${MODULES}${locked.name}`
}
