import type { ImportRef } from './import-ref.ts'
import { createNodePackages } from './node-packages.ts'
import { type ProjectFiles, folderOf, joinPath } from './project-files.ts'
import type { Resolve } from './resolver.ts'
import { createTsConfigs, mappedCandidates } from './tsconfig.ts'

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

/** What a written extension may stand for: TypeScript names the output, the project holds the source. */
const SOURCES_OF: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.js', '.jsx'],
  '.jsx': ['.tsx', '.d.ts', '.jsx'],
  '.mjs': ['.mts', '.d.mts', '.mjs'],
  '.cjs': ['.cts', '.d.cts', '.cjs'],
}

/** Module resolution of TypeScript and JavaScript over the files of the project. */
export function createEcmaResolver(files: ProjectFiles): Resolve {
  const configOf = createTsConfigs(files)
  const packages = createNodePackages(files)
  const first = (candidates: readonly string[]): readonly string[] => {
    for (const candidate of candidates) {
      const found = probe(files, candidate)
      if (found !== undefined) return [found]
    }
    return []
  }
  return (from: string, { specifier, kind }: ImportRef) => {
    const name = specifier.replace(/[?#].*$/, '') || specifier
    if (name.startsWith('.') || kind === 'reference_path') {
      const path = joinPath(folderOf(from), name)
      return path === undefined ? [] : first([path])
    }
    const config = configOf(from)
    if (specifier.startsWith('#')) {
      return first(packages.internal(from, specifier, config.customConditions))
    }
    const mapped = first(mappedCandidates(config, specifier))
    if (mapped.length > 0) return mapped
    return first(packages.candidates(specifier, config.customConditions))
  }
}

/** The file a path means: itself, its source, with an extension, or the index of a folder. */
function probe(files: ProjectFiles, path: string): string | undefined {
  const [extension = ''] = /\.(?:[mc]?js|jsx)$/.exec(path) ?? []
  const stem = path.slice(0, path.length - extension.length)
  const folder = path === '' ? '' : `${path}/`
  const candidates = [
    ...(SOURCES_OF[extension] ?? []).map((source) => stem + source),
    path,
    path.replace(/\.d\.([mc]?)ts$/, '.$1ts'),
    ...EXTENSIONS.map((ending) => path + ending),
    ...EXTENSIONS.map((ending) => `${folder}index${ending}`),
  ]
  return candidates.find((candidate) => files.has(candidate))
}
