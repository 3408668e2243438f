import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseLanguageFilter } from '../languages/language-filter.ts'
import { languageById } from '../languages/languages.ts'
import type { Usage } from '../parse/find-names.ts'
import type { ParserThread } from '../parse/parser-thread.ts'
import { type CodeSymbol, qualifiedName } from '../scan/code-symbol.ts'
import { escapeRegExp } from './grep.ts'
import type { FileRecord } from './file-record.ts'
import type { ProjectIndex } from './project-index.ts'
import { type Certainty, resolveName } from './resolve-name.ts'

export interface ReferenceRequest {
  /** A name, or `Class.method`. */
  readonly name: string
  /** Only uses of the definition in this file. */
  readonly definedIn?: string | undefined
  readonly language?: string | null | undefined
  /** Also where the name is only mentioned: comments, strings, documents. */
  readonly includeText: boolean
  readonly timeLimitMs?: number
}

export interface Reference {
  readonly path: string
  readonly line: number
  readonly kind: 'definition' | Usage | 'text'
  readonly certainty: Certainty
  /** The files whose definition is meant, as far as that is known. */
  readonly definedIn: readonly string[]
}

export interface References {
  readonly found: readonly Reference[]
  /** False when the time ended the search before the last file. */
  readonly isComplete: boolean
}

const IN_FLIGHT = 4
/** Well within what clients give a call; a name that half of a large project uses is cut off. */
const TIME_LIMIT_MS = 20_000
const ORDER: Readonly<Record<Certainty, number>> = { certain: 0, likely: 1, possible: 2 }

/** Where a name is used, by the syntax of each file; what is meant there is told by what the file imports. */
export async function findReferences(
  index: ProjectIndex,
  parser: ParserThread,
  request: ReferenceRequest,
): Promise<References> {
  const name = request.name.slice(request.name.lastIndexOf('.') + 1)
  const definitions = definitionsOf(index, request)
  const deadline = performance.now() + (request.timeLimitMs ?? TIME_LIMIT_MS)
  const work = candidates(index, request, name)
  const found: Reference[] = []
  const lane = async (): Promise<void> => {
    for (const [path, record] of work) {
      if (performance.now() > deadline) return
      const uses = await usesIn(index, parser, { ...request, path, record, name })
      if (uses.length === 0) continue
      const { certainty, definedIn } = resolveName(index, path, name, definitions)
      for (const { line, kind } of uses)
        found.push(
          isDefinition(definitions.get(path), line)
            ? { path, line, kind: 'definition', certainty: 'certain', definedIn: [path] }
            : { path, line, kind, certainty: kind === 'text' ? 'possible' : certainty, definedIn },
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

/** The files that may use the name, one after the other: the lanes share this. */
function* candidates(
  index: ProjectIndex,
  { language, includeText }: ReferenceRequest,
  name: string,
): Generator<[string, FileRecord]> {
  const languages = language ? parseLanguageFilter(language) : undefined
  for (const [path, record] of index.files) {
    if (languages && !languages.has(record.language) && !languages.has(record.languageId)) continue
    if (!includeText && !isCode(record)) continue
    if (contains(join(index.project.root, path), name)) yield [path, record]
  }
}

function isCode({ language }: FileRecord): boolean {
  const family = languageById(language)?.family
  return family !== undefined && family !== 'prose' && family !== 'markup' && family !== 'config'
}

function contains(file: string, name: string): boolean {
  try {
    return readFileSync(file).includes(name)
  } catch {
    return false // Gone since: the next walk drops it.
  }
}

interface Use {
  readonly line: number
  readonly kind: Usage | 'text'
}

interface Candidate {
  readonly path: string
  readonly record: FileRecord
  readonly name: string
  readonly includeText: boolean
}

async function usesIn(
  index: ProjectIndex,
  parser: ParserThread,
  { path, record, name, includeText }: Candidate,
): Promise<Use[]> {
  const grammar = languageById(record.language)?.grammar
  const { names } = grammar
    ? await parser.parse(join(index.project.root, path), grammar, { name })
    : { names: undefined }
  const uses = new Map<number, Use>()
  for (const { line, usage } of names ?? []) uses.set(line, { line, kind: usage })
  if (names && !includeText) return [...uses.values()]
  for (const line of linesWith(index.text(path) ?? '', name))
    if (!uses.has(line)) uses.set(line, { line, kind: 'text' })
  return [...uses.values()]
}

function linesWith(text: string, name: string): number[] {
  const pattern = new RegExp(`(?<![\\w$])${escapeRegExp(name)}(?![\\w$])`)
  return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [at + 1] : []))
}
