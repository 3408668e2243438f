import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeRegExp } from '../../../../base/text/escape-regexp.ts'
import { parseLanguageFilter } from '../../languages/language-filter.ts'
import { languageById } from '../../languages/languages.ts'
import type { Usage } from '../../parse/find-names.ts'
import type { ParserThread } from '../../parse/parser-thread.ts'
import { type CodeSymbol, dottedName, qualifiedName } from '../../code-symbol.ts'
import type { FileRecord } from '../index/file-record.ts'
import { type LocalName, isRenamed, isTaken, localNames, takes } from './local-names.ts'
import type { ProjectIndex } from '../index/project-index.ts'
import { type Certainty, resolveName } from './resolve-name.ts'

export interface ReferenceRequest {
  /** A name, or `Class.method`. */
  readonly name: string
  /** Only uses of the definition in this file. */
  readonly definedIn?: string | undefined
  readonly language?: string | null | undefined
  /** Whether to include plain mentions: in comments, strings and documents. */
  readonly includeText: boolean
}

export interface Reference {
  readonly path: string
  readonly line: number
  readonly kind: 'definition' | Usage | 'text'
  readonly certainty: Certainty
  /** The files whose definition is meant, as far as known. */
  readonly definedIn: readonly string[]
  /** The local name, if it differs. */
  readonly as?: string
}

export interface References {
  readonly found: readonly Reference[]
  /** False if the time limit ended the search before the last file. */
  readonly isComplete: boolean
}

const IN_FLIGHT = 4
/** Well below client timeouts; a search for a name used in half of a large project is cut off. */
const TIME_LIMIT_MS = 20_000
const ORDER: Readonly<Record<Certainty, number>> = { certain: 0, likely: 1, possible: 2 }

/**
 * Finds the uses of a name by the syntax of each file; the imports of the file decide which
 * definition is meant.
 */
export async function findReferences(
  index: ProjectIndex,
  parser: ParserThread,
  given: ReferenceRequest,
): Promise<References> {
  const request = { ...given, name: dottedName(given.name) }
  const name = request.name.slice(request.name.lastIndexOf('.') + 1)
  if (name === '') return { found: [], isComplete: true }
  const definitions = definitionsOf(index, request)
  const deadline = performance.now() + TIME_LIMIT_MS
  const locals = localNames(index, name, definitions.keys())
  const work = candidates(index, request, (path) => [
    name,
    ...(locals.get(path) ?? []).map(({ local }) => local),
  ])
  const found: Reference[] = []
  const lane = async (): Promise<void> => {
    for (const candidate of work) {
      if (performance.now() > deadline) return
      const uses = await usesIn(index, parser, { ...request, ...candidate })
      found.push(
        ...referencesFrom(uses, { index, name, definitions, locals, path: candidate.path }),
      )
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  const wanted = found.filter(
    ({ definedIn }) => request.definedIn === undefined || definedIn.includes(request.definedIn),
  )
  return {
    found: wanted.toSorted(
      (a, b) =>
        ORDER[a.certainty] - ORDER[b.certainty] ||
        (a.path < b.path ? -1 : Number(a.path > b.path)) ||
        a.line - b.line,
    ),
    isComplete: performance.now() <= deadline,
  }
}

interface Known {
  readonly index: ProjectIndex
  readonly path: string
  readonly name: string
  readonly definitions: ReadonlyMap<string, readonly CodeSymbol[]>
  readonly locals: ReadonlyMap<string, readonly LocalName[]>
}

/** Resolves the uses in one file to definitions. */
function referencesFrom(
  uses: readonly Use[],
  { index, path, name, definitions, locals }: Known,
): Reference[] {
  if (uses.length === 0) return []
  const { certainty, definedIn } = resolveName(index, path, name, definitions)
  const others = locals.get(path) ?? []
  const edges = index.graph.dependencies(path)
  const isOther = !others.some(({ local }) => local === name) && isTaken(edges, name)
  return uses.flatMap(({ line, kind, as }): Reference[] => {
    if (isDefinition(definitions.get(path), line))
      return [{ path, line, kind: 'definition', certainty: 'certain', definedIn: [path] }]
    if (as !== name) {
      const meant = others.filter(({ local }) => local === as).map((other) => other.definedIn)
      return [{ path, line, kind, certainty: 'certain', definedIn: meant, as }]
    }
    // `const { price } = require('./price')` is an import, whatever its syntax.
    if (kind === 'import' || edges.some((edge) => edge.line === line && takes(edge, name)))
      return [{ path, line, kind: 'import', certainty, definedIn }]
    if (isOther && kind === 'call') return []
    // In a file that imports it under another name, this one means something else or a property.
    const isDoubtful = isOther || kind === 'text' || isRenamed(edges, name)
    return [{ path, line, kind, certainty: isDoubtful ? 'possible' : certainty, definedIn }]
  })
}

function definitionsOf(
  index: ProjectIndex,
  { name }: ReferenceRequest,
): Map<string, readonly CodeSymbol[]> {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const found = new Map<string, readonly CodeSymbol[]>()
  for (const [path, { symbols }] of index.files) {
    const own = symbols.filter(
      (symbol) =>
        symbol.name === last && (last === name || `.${qualifiedName(symbol)}`.endsWith(`.${name}`)),
    )
    if (own.length > 0) found.set(path, own)
  }
  return found
}

function isDefinition(symbols: readonly CodeSymbol[] = [], line: number): boolean {
  return symbols.some(({ startLine }) => startLine === line)
}

/** Yields the files that may use the name; the lanes share this generator. */
function* candidates(
  index: ProjectIndex,
  { language, includeText }: ReferenceRequest,
  namesIn: (path: string) => readonly string[],
): Generator<{ path: string; record: FileRecord; names: readonly string[] }> {
  const languages = language ? parseLanguageFilter(language) : undefined
  for (const [path, record] of index.files) {
    if (languages && !languages.has(record.language) && !languages.has(record.languageId)) continue
    if (!includeText && !isCode(record)) continue
    const names = namesIn(path)
    if (contains(join(index.project.root, path), names)) yield { path, record, names }
  }
}

function isCode({ language }: FileRecord): boolean {
  const family = languageById(language)?.family
  return family !== undefined && family !== 'prose' && family !== 'markup' && family !== 'config'
}

function contains(file: string, names: readonly string[]): boolean {
  try {
    const bytes = readFileSync(file)
    return names.some((name) => bytes.includes(name))
  } catch {
    return false // The file is gone: the next walk drops it.
  }
}

interface Use {
  readonly line: number
  readonly kind: Usage | 'text'
  /** The name as written there. */
  readonly as: string
}

interface Candidate {
  readonly path: string
  readonly record: FileRecord
  readonly names: readonly string[]
  readonly includeText: boolean
}

async function usesIn(
  index: ProjectIndex,
  parser: ParserThread,
  { path, record, names: wanted, includeText }: Candidate,
): Promise<Use[]> {
  const grammar = languageById(record.language)?.grammar
  const { names } = grammar
    ? await parser.parse(join(index.project.root, path), grammar, { names: wanted })
    : { names: undefined }
  const uses = new Map<number, Use>()
  for (const { line, usage, name } of names ?? [])
    if (!uses.has(line)) uses.set(line, { line, kind: usage, as: name })
  if (names && !includeText) return [...uses.values()]
  const text = index.text(path) ?? ''
  for (const name of wanted)
    for (const line of linesWith(text, name))
      if (!uses.has(line)) uses.set(line, { line, kind: 'text', as: name })
  return [...uses.values()]
}

function linesWith(text: string, name: string): number[] {
  const pattern = new RegExp(`(?<![\\w$])${escapeRegExp(name)}(?![\\w$])`)
  return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [at + 1] : []))
}
