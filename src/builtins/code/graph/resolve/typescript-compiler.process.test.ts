import { spawnSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { languageOf } from '../../languages/language-of.ts'
import { walk } from '../../walk/walk.ts'
import { DependencyGraph } from '../dependency-graph.ts'
import { extractImports } from '../extract/extract-imports.ts'
import { createProjectFiles } from '../project-files.ts'

const PORTOLAN = resolve(import.meta.dirname, '../../../../..')
const TSC = join(PORTOLAN, 'node_modules/.bin/tsc')

type Edges = Map<string, Set<string>>

/** What the compiler itself resolves, as its own trace tells it. */
function compilerEdges(root: string, args: readonly string[]): Edges {
  const { stdout } = spawnSync(TSC, ['--noEmit', '--noCheck', '--traceResolution', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const edges: Edges = new Map()
  let from = ''
  for (const line of stdout.split('\n')) {
    const [, importer] = /^=+ Resolving module '.+' from '(.+)'\. =+$/.exec(line) ?? []
    if (importer !== undefined) {
      from = relative(root, importer)
      if (!edges.has(from)) edges.set(from, new Set())
    }
    const [, target] = /^=+ Module name '.+' was successfully resolved to '(.+?)'/.exec(line) ?? []
    if (target !== undefined) edges.get(from)?.add(relative(root, target))
  }
  return edges
}

function ourEdges(root: string): Edges {
  const paths = [...walk(root, {}, { excluded: () => undefined })].map(({ path }) => path)
  const read = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      return undefined
    }
  }
  const sources = paths.map((path) => {
    const language = languageOf(path)?.id ?? 'text'
    return { path, language, imports: extractImports(language, undefined, read(path) ?? '') }
  })
  const graph = new DependencyGraph(() => createProjectFiles(paths, read), sources)
  return new Map(
    paths.map((path) => [
      path,
      new Set(graph.dependencies(path).flatMap(({ target }) => (target === null ? [] : [target]))),
    ]),
  )
}

function compare(
  root: string,
  args: readonly string[],
): { precision: number; recall: number; edges: number } {
  const [truth, ours] = [compilerEdges(root, args), ourEdges(root)]
  let [both, onlyOurs, onlyTheirs] = [0, 0, 0]
  for (const [path, expected] of truth) {
    const found = ours.get(path)
    if (!found) continue
    for (const target of found) {
      if (expected.has(target)) both++
      else onlyOurs++
    }
    for (const target of expected) if (ours.has(target) && !found.has(target)) onlyTheirs++
  }
  return { precision: both / (both + onlyOurs), recall: both / (both + onlyTheirs), edges: both }
}

const ZOD = [
  '--ignoreConfig',
  '--module',
  'nodenext',
  '--skipLibCheck',
  '--target',
  'es2022',
  'index.ts',
  'v3/index.ts',
  'v4/index.ts',
]

describe('dependencies of TypeScript files', () => {
  it.each([
    ['this project', PORTOLAN, ['-p', 'tsconfig.json'], 300],
    ['the sources of zod', realpathSync(join(PORTOLAN, 'node_modules/zod/src')), ZOD, 200],
  ])(
    'are what the compiler resolves, in %s',
    (_, root, args, atLeast) => {
      const { precision, recall, edges } = compare(root, args)
      expect(edges).toBeGreaterThan(atLeast)
      expect(precision).toBeGreaterThanOrEqual(0.98)
      expect(recall).toBeGreaterThanOrEqual(0.98)
    },
    300_000,
  )
})
