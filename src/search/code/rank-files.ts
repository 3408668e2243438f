import type { FieldIndex } from '../lexical/field-index.ts'
import type { Matches } from '../lexical/matches.ts'
import type { ScoredDocument } from '../lexical/top-hits.ts'
import { type CodeFeatures, pathFeatures, roleFeatures } from './code-features.ts'
import type { Nearness } from './code-meaning.ts'
import type { CodeQuery } from './code-query.ts'
import { type CodeWeights, weigh } from './code-weights.ts'
import { type FileRole, fileRole } from './file-role.ts'
import type { Packages } from './packages.ts'
import { type PathWords, pathWords, spelling } from './path-words.ts'

export interface IndexedFile {
  readonly path: string
  readonly number: number
  /** Its chunks are numbered one after the other. */
  readonly first: number
  readonly count: number
  /** The words and role of its path; computed on first use. */
  fromPath?: { readonly words: PathWords; readonly role: FileRole }
}

export interface RankedFile {
  readonly file: IndexedFile
  readonly features: CodeFeatures
  readonly score: number
  /** Best first. */
  readonly chunks: readonly ScoredDocument[]
}

export interface RankingSources {
  readonly lexical: FieldIndex
  readonly weights: CodeWeights
  readonly fileAt: (document: number) => IndexedFile
  readonly accept: ((document: number) => boolean) | undefined
  readonly centrality: (path: string) => number
  /** How near chunks and files are to the query in meaning; undefined if only words count. */
  readonly nearness: Nearness | undefined
  readonly numbered: (number: number) => IndexedFile | undefined
  readonly has: (path: string) => boolean
  readonly packages: Packages
}

/** Fields of the lexical index; `EXACT` holds whole names after a `=`, for looking them up. */
export const BODY = 0
export const PATH = 1
export const NAMES = 2
export const EXACT = 3

/** The most chunks to consider: tests and documents of a checkout would fill a smaller pool. */
const POOL = 600
/** The most files that vectors may add, for queries that share no word with what they mean. */
const NEAREST = 50
/** A name that half the project defines, such as `init`, does not tell files apart. */
const MAX_DEFINITIONS = 500
const GOOD = 0.5
const MANY_GOOD = 4
const RANK_SCALE = 60
/**
 * The part of a role's weight that remains if the query asks for such files: they may come first,
 * but need not.
 */
const WANTED = 0.25
/** The worth of `session` if the query names `Session`. */
const OTHER_CASE = 0.5

interface Candidate {
  readonly file: IndexedFile
  readonly chunks: ScoredDocument[]
  rank: number
  /** How well one of its definitions is what the query names, or what its words spell out. */
  defines: number
  spells: number
  /** Its chunks with such definitions, in the order in which they are shown. */
  readonly definitions: number[]
}

/** Returns all files that the query may mean, best first. */
export function rankFiles(query: CodeQuery, sources: RankingSources): RankedFile[] {
  const matches = sources.lexical.match(query.terms)
  const candidates = findCandidates(query, matches, sources)
  const found = [...candidates.values()].map((candidate) => ({
    candidate,
    evidence: gather(candidate, matches),
  }))
  const top = {
    best: Math.max(1e-9, ...found.map(({ evidence }) => evidence.best)),
    mass: Math.max(1e-9, ...found.map(({ evidence }) => evidence.mass)),
  }
  const information = query.stems.map((_, position) => matches.informationOf(2 ** position))
  return found
    .map(({ candidate, evidence }) => {
      const features = toFeatures(query, { candidate, evidence, top, information, sources })
      const chunks = inOrder(candidate, matches)
      return { file: candidate.file, chunks, features, score: weigh(features, sources.weights) }
    })
    .toSorted((a, b) => b.score - a.score || a.file.first - b.file.first)
}

function findCandidates(
  query: CodeQuery,
  matches: Matches,
  sources: RankingSources,
): Map<IndexedFile, Candidate> {
  const candidates = new Map<IndexedFile, Candidate>()
  const { accept } = sources

  function candidateFor(document: number, rank: number): Candidate {
    const file = sources.fileAt(document)
    const known = candidates.get(file)
    if (known) return known
    const candidate = { file, rank, chunks: [], defines: 0, spells: 0, definitions: [] }
    candidates.set(file, candidate)
    return candidate
  }

  function lookUp(name: string, found: 'defines' | 'spells', worth: number): void {
    let count = 0
    sources.lexical.forEachPosting(`=${name}`, (document) => {
      if (count >= MAX_DEFINITIONS || (accept && !accept(document))) return
      count++
      const candidate = candidateFor(document, POOL)
      candidate[found] = Math.max(candidate[found], worth)
      if (!candidate.definitions.includes(document)) candidate.definitions.push(document)
    })
  }

  /** Adds files whose name the query spells, whatever is in them. */
  function lookUpFile(name: string): void {
    let count = 0
    sources.lexical.forEachPosting(`=/${name}`, (document) => {
      if (count++ >= MAX_DEFINITIONS || (accept && !accept(document))) return
      const { chunks, definitions } = candidateFor(document, POOL)
      if (chunks.length + definitions.length === 0)
        chunks.push({ document, score: matches.score(document) })
    })
  }

  function nominate(number: number): void {
    const file = sources.numbered(number)
    if (!file || file.count === 0 || candidates.has(file)) return
    const near = sources.nearness
    const chunk = bestOf(file, (document) => near?.chunk(document) ?? 0, accept)
    if (chunk !== undefined) candidateFor(chunk, POOL).chunks.push({ document: chunk, score: 0 })
  }

  let rank = 0
  for (const hit of matches.best({ limit: POOL, accept })) {
    const { file, chunks } = candidateFor(hit.document, rank)
    chunks.push(hit)
    // Many tests that say the same must not lower the rank of a source file.
    if (!isInTheWay(file, query)) rank++
  }
  for (const name of query.names) lookUp(name, 'defines', 1)
  for (const name of query.names) lookUp(name.toLowerCase(), 'defines', OTHER_CASE)
  for (const name of query.spelt) lookUp(name, 'spells', 1)
  for (const name of new Set([...query.names, ...query.spelt].map(spelling))) lookUpFile(name)
  for (const number of sources.nearness?.nearestFiles(NEAREST) ?? []) nominate(number)
  return candidates
}

/** Puts chunks that define what was named before chunks that merely match best. */
function inOrder({ chunks, definitions }: Candidate, matches: Matches): ScoredDocument[] {
  const first = definitions.map((document) => ({ document, score: matches.score(document) }))
  return [...first, ...chunks.filter(({ document }) => !definitions.includes(document))]
}

interface Evidence {
  readonly best: number
  readonly mass: number
  /** The scores of all its matching chunks. */
  readonly scores: readonly number[]
  readonly named: number
  readonly covered: number
}

function gather({ file }: Candidate, matches: Matches): Evidence {
  let best = 0
  let mass = 0
  let named = 0
  let covered = 0
  const scores: number[] = []
  for (let document = file.first; document < file.first + file.count; document++) {
    const score = matches.score(document)
    if (score === 0) continue
    scores.push(score)
    mass += score
    best = Math.max(best, score)
    named |= matches.marks(document, NAMES)
    covered |= matches.marks(document, BODY) | matches.marks(document, PATH)
  }
  return {
    best,
    mass,
    scores,
    named: matches.informationOf(named),
    covered: matches.informationOf(covered),
  }
}

interface FileJudgement {
  readonly candidate: Candidate
  readonly evidence: Evidence
  readonly top: { readonly best: number; readonly mass: number }
  /** The share of the query that each of its stems carries. */
  readonly information: readonly number[]
  readonly sources: RankingSources
}

function toFeatures(query: CodeQuery, judged: FileJudgement): CodeFeatures {
  const { candidate, evidence, top, information, sources } = judged
  const { file } = candidate
  const { words, role } = readPath(file)
  const good = evidence.scores.filter((score) => score > top.best * GOOD).length
  return {
    best: evidence.best / top.best,
    rank: (RANK_SCALE + 1) / (RANK_SCALE + 1 + candidate.rank),
    mass: evidence.mass / top.mass,
    spread: Math.min(1, good / MANY_GOOD),
    named: evidence.named,
    covered: evidence.covered,
    defines: candidate.defines,
    spells: candidate.spells,
    central: sources.centrality(file.path),
    ...meaningOf(file, sources.nearness),
    partial: words.whole !== undefined && sources.has(words.whole) ? 1 : 0,
    beside: sources.packages.isBeside(file.path, query.stems) ? 1 : 0,
    ...pathFeatures(query, words, information),
    ...roleFeatures(role, query.wants.has(role) ? WANTED : 1),
  }
}

function readPath(file: IndexedFile): NonNullable<IndexedFile['fromPath']> {
  return (file.fromPath ??= { words: pathWords(file.path), role: fileRole(file.path) })
}

/** Roles of files that say the same as the source in other words. */
const IN_THE_WAY: ReadonlySet<FileRole> = new Set(['test', 'prose', 'example'])

function isInTheWay(file: IndexedFile, { wants }: CodeQuery): boolean {
  const { role } = readPath(file)
  return IN_THE_WAY.has(role) && !wants.has(role)
}

const MEANING_CHUNKS = 3

/**
 * Returns the nearest chunk and the mean of three: a single chunk that resembles the query does not
 * yet make the file about it.
 */
function meaningOf(
  { first, count, number }: IndexedFile,
  nearness: Nearness | undefined,
): Pick<CodeFeatures, 'nearest' | 'meaning' | 'called' | 'passage' | 'wordwise'> {
  if (!nearness) return { nearest: 0, meaning: 0, called: 0, passage: 0, wordwise: 0 }
  const best = new Float64Array(Math.min(count, MEANING_CHUNKS))
  for (let document = first; document < first + count; document++) {
    let near = nearness.chunk(document)
    for (let place = 0; place < best.length; place++) {
      const held = best[place] ?? 0
      if (near <= held) continue
      best[place] = near
      near = held
    }
  }
  const sum = best.reduce((total, near) => total + near, 0)
  return {
    nearest: best[0] ?? 0,
    meaning: sum / Math.max(1, best.length),
    called: Math.max(0, nearness.file(number)),
    passage: 0,
    wordwise: 0,
  }
}

function bestOf(
  { first, count }: IndexedFile,
  score: (document: number) => number,
  accept: ((document: number) => boolean) | undefined,
): number | undefined {
  let best: number | undefined
  let top = -Infinity
  for (let document = first; document < first + count; document++) {
    const found = score(document)
    if (found <= top || (accept && !accept(document))) continue
    best = document
    top = found
  }
  return best
}
