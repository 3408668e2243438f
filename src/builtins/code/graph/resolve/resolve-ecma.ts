import type { ImportRef, Resolve } from '../import-ref.ts'
import { createNodePackages } from './node-packages.ts'
import { one } from './path-endings.ts'
import { type ProjectFiles, folderOf, joinPath } from '../project-files.ts'
import { type TsConfig, createTsConfigs, mappedCandidates } from './tsconfig.ts'

const EXTENSIONS = [
  '.ts',
  '.tsx',
  '.d.ts',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.vue',
  '.svelte',
  '.json',
]

/**
 * The extensions that a written one may stand for: TypeScript names the output, the project holds
 * the source.
 */
const SOURCES_OF: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.js', '.jsx'],
  '.jsx': ['.tsx', '.d.ts', '.jsx'],
  '.mjs': ['.mts', '.d.mts', '.mjs'],
  '.cjs': ['.cts', '.d.cts', '.cjs'],
}

/** Resolves TypeScript and JavaScript modules to files of the project. */
export function createEcmaResolver(files: ProjectFiles): Resolve {
  const configOf = createTsConfigs(files)
  const packages = createNodePackages(files)
  const probed = new Map<string, string | undefined>()
  const find = (path: string): string | undefined => {
    if (!probed.has(path)) probed.set(path, probe(files, path))
    return probed.get(path)
  }
  const first = (candidates: readonly string[]): string | undefined => {
    for (const candidate of candidates) {
      const found = find(candidate)
      if (found !== undefined) return found
    }
    return undefined
  }
  /** Results by settings, then by name: most files of a project import the same few packages. */
  const named = new Map<TsConfig, Map<string, string | undefined>>()
  const findNamed = (from: string, name: string): string | undefined => {
    const config = configOf(from)
    if (name.startsWith('#')) return first(packages.internal(from, name, config.customConditions))
    const known = named.get(config) ?? new Map<string, string | undefined>()
    named.set(config, known)
    if (!known.has(name)) {
      const mapped = first(mappedCandidates(config, name))
      known.set(name, mapped ?? first(packages.candidates(name, config.customConditions)))
    }
    return known.get(name)
  }
  return (from: string, { specifier, kind }: ImportRef) => {
    const name = specifier.replace(/\?.*$/, '')
    if (!name.startsWith('.') && kind !== 'reference_path') return one(findNamed(from, name))
    const path = joinPath(folderOf(from), name)
    return path === undefined ? [] : one(find(path))
  }
}

/** Finds the file a path means: its source, itself, with an extension, or the folder's index. */
function probe(files: ProjectFiles, path: string): string | undefined {
  const [extension = ''] = /\.(?:[mc]?js|jsx)$/.exec(path) ?? []
  const stem = path.slice(0, path.length - extension.length)
  const folder = path === '' ? '' : `${path}/`
  for (const source of SOURCES_OF[extension] ?? [])
    if (files.has(stem + source)) return stem + source
  if (files.has(path)) return path
  const declared = path.replace(/\.d\.([mc]?)ts$/, '.$1ts')
  if (declared !== path && files.has(declared)) return declared
  return (
    EXTENSIONS.map((ending) => path + ending).find((file) => files.has(file)) ??
    EXTENSIONS.map((ending) => `${folder}index${ending}`).find((file) => files.has(file))
  )
}
