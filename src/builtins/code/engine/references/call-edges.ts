import { join } from 'node:path'
import { languageById } from '../../languages/languages.ts'
import type { Edge } from '../../graph/dependency-graph.ts'
import type { ParserThread } from '../../parse/parser-thread.ts'
import type { ProjectIndex } from '../index/project-index.ts'

/**
 * Finds the calls of a file into the files it imports, by its syntax and its imports: one edge per
 * symbol called.
 */
export async function callsFrom(
  index: ProjectIndex,
  parser: ParserThread,
  path: string,
): Promise<Edge[]> {
  const grammar = languageById(index.files.get(path)?.language ?? '')?.grammar
  const imported = index.graph.dependencies(path).filter(({ type }) => type === 'import')
  const targets = new Set(imported.map(({ target }) => target).filter((target) => target !== null))
  if (grammar === undefined || targets.size === 0) return []
  const { names = [] } = await parser.parse(join(index.project.root, path), grammar, 'calls')
  const firstLine = new Map<string, number>()
  for (const { name, line } of names)
    firstLine.set(name, Math.min(line, firstLine.get(name) ?? line))
  return [...targets].flatMap((target) => {
    const symbols = new Set(index.files.get(target)?.symbols.map(({ name }) => name))
    const edges = imported.filter((edge) => edge.target === target)
    const module = edges[0]?.module ?? target
    const originals = new Map(
      edges.flatMap(({ aliases = [] }) => aliases.map(([name, local]) => [local, name] as const)),
    )
    return [...firstLine]
      .map(([name, line]) => [originals.get(name) ?? name, line] as const)
      .filter(([name]) => symbols.has(name))
      .map(([symbol, line]) => ({
        source: path,
        target,
        module,
        symbol,
        type: 'call' as const,
        kind: 'call',
        line,
      }))
  })
}

/** Finds the calls into a file from the files that import it. */
export async function callsInto(
  index: ProjectIndex,
  parser: ParserThread,
  path: string,
): Promise<Edge[]> {
  const callers = new Set(index.graph.dependents(path).map(({ source }) => source))
  const found: Edge[] = []
  for (const caller of callers)
    found.push(...(await callsFrom(index, parser, caller)).filter(({ target }) => target === path))
  return found
}
