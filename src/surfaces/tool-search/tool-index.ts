import type { Catalog } from '../../gateway/catalog.ts'
import { knownEffect } from '../../gateway/tools/effect.ts'
import { shownName, toolKey } from '../../gateway/tools/tool-ref.ts'
import type { Listing, Tool } from '../../gateway/upstream.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import { TopHits } from '../../search/lexical/top-hits.ts'
import { isQuestion, serversNamedIn } from './read-request.ts'
import { beyondOthers } from './relatives.ts'
import { MAX_STANDING } from './standing.ts'
import type { ToolMeanings } from './tool-meanings.ts'
import type { Nearness } from './tool-vectors.ts'
import type { WordNearness } from './tool-vocabulary.ts'
import { ToolWords } from './tool-words.ts'

export interface ToolHit {
  readonly tool: Tool
  /** Whether it matches the query at all, and is not merely the nearest one. */
  readonly fits: boolean
  readonly foundBy: 'name' | 'words' | 'meaning' | 'both'
  /** For comparing hits of several wordings of one request. */
  readonly score: number
  /** How near its meaning is: 0 is unrelated, 1 the same; undefined if words alone were searched. */
  readonly near: number | undefined
}

export interface ToolSearch {
  readonly limit: number
  /** How many requests the query has in all. */
  readonly requests?: number
  /** Takes longer, and finds more tools beside the best one. */
  readonly alwaysNgrams?: boolean
  /** Which tools may be found: an agent does not find what it may not use. */
  readonly accept: (tool: Tool) => boolean
  /** The nearness of tools to the query, if there are vectors. */
  readonly nearness?: Nearness | undefined
  /** A bonus or penalty for a tool: used before, unavailable, empty. */
  readonly standing?: ((tool: Tool) => number) | undefined
}

// Measured by `npm run bench -- meaning`, with each set of queries split in two by a hash; nearby
// values differ only by noise, in both halves.
const MEANING_WEIGHT = 2.1
const SAID_WEIGHT = 2
const NAMED_WEIGHT = 0.4
const DOES_WEIGHT = 0.3
const OBJECT_WEIGHT = 0.5
const ACTION_WEIGHT = 0.3
/** What nobody asks for in the name of a tool, if another tool does without. */
const RELATIVE = -0.3
/** A tool that changes something does not answer a question. */
const CHANGES = -0.5
/** How many of the best are compared again word by word, which is slower than the rest. */
const MAX_COMPARED = 30
/** Fewer if a query has several requests, which have fewer places each; all of them together. */
const MAX_COMPARED_IN_ALL = 60
const NAMED_SERVER = 0.4
/** A query that is the name of a tool means that tool. */
const EXACT_NAME = 10
/** Without vectors, a hit with less than this share of the best hit's match is noise. */
const CUT = 0.3
/** The least nearness, or share of the query's information, that is more than coincidence. */
const NEAR = 0.2
const HELD = 0.5
/** The least nearness if the query cannot be compared with the subjects of other software. */
const NEAR_ALONE = 0.27
/** How much nearer a subject of no tool may be, since subjects are shorter texts than tools. */
const ELSEWHERE = 0.2
/** A tool with words for this share of the query fits below that floor too. */
const SAID = 0.85

/** What names, words and vectors say about each tool. */
interface Evidence {
  /** The tools that words or an exact name found. */
  readonly found: ReadonlySet<string>
  /** The largest bonus that a tool can have besides words and vectors. */
  readonly mostBonus: number
  /** Returns undefined for noise. */
  scoreOf(id: string, tool: Tool): number | undefined
  /** Returns what single words, and the effect of the tool, add to the score. */
  atSecondLook(id: string, tool: Tool, extraWords: readonly string[]): number
  isStrong(id: string): boolean
  reasonFor(id: string): ToolHit['foundBy']
}

interface Candidate {
  readonly id: string
  readonly tool: Tool
  readonly score: number
}

/** Finds tools by name, texts, parameters and meaning: adds up the scores of words and vectors. */
export class ToolIndex {
  readonly #words = new ToolWords()
  readonly #tools = new Map<string, Tool>()
  #servers: ReadonlySet<string> = new Set()

  get size(): number {
    return this.#tools.size
  }

  /** Updates the index to exactly these tools; unchanged ones are not read again. */
  update(tools: Iterable<Tool>): void {
    const gone = new Set(this.#tools.keys())
    for (const tool of tools) {
      const id = toolKey(tool)
      gone.delete(id)
      if (this.#tools.get(id)?.definition !== tool.definition) {
        this.#tools.set(id, tool)
        this.#words.set(id, tool)
      }
    }
    for (const id of gone) {
      this.#tools.delete(id)
      this.#words.delete(id)
    }
    this.#servers = new Set([...this.#tools.values()].map(({ server }) => server))
  }

  /** Returns the best tools for a query, best first. */
  search(query: string, options: ToolSearch): ToolHit[] {
    const { limit, nearness } = options
    const evidence = this.#evidenceFor(query, options)
    const best = this.#best(evidence, Math.max(limit, comparedOf(options)), options)
    const extra = nearness ? beyondOthers(best.map(({ tool }) => tool)) : []
    const ranked = best
      .map(({ id, tool, score }, at) => ({
        id,
        tool,
        score: score + evidence.atSecondLook(id, tool, extra[at] ?? []),
      }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
    return ranked.map(({ id, tool, score }) => {
      const foundBy = evidence.reasonFor(id)
      // Words alone cannot tell: synonyms hold nothing of the query.
      const fits = !nearness || foundBy === 'name' || evidence.isStrong(id)
      return { tool, fits, foundBy, score, near: nearness?.whole(id) }
    })
  }

  /** Takes tools found by words, then only those near enough to join them; skips most tools. */
  #best(evidence: Evidence, count: number, { accept, nearness }: ToolSearch): Candidate[] {
    const { found, mostBonus } = evidence
    const candidates: Candidate[] = []
    const top = new TopHits(count)
    const offer = (id: string) => {
      const tool = this.#tools.get(id)
      if (!tool) return
      const score = evidence.scoreOf(id, tool)
      if (score === undefined || score <= top.bar || !accept(tool)) return
      top.offer(candidates.push({ id, tool, score }) - 1, score)
    }
    for (const id of found) offer(id)
    const least = () => (top.bar - mostBonus) / MEANING_WEIGHT
    for (const id of nearness?.above(least) ?? []) if (!found.has(id)) offer(id)
    return top.take().flatMap(({ document }) => candidates[document] ?? [])
  }

  #evidenceFor(query: string, options: ToolSearch): Evidence {
    const { accept, nearness, standing, alwaysNgrams } = options
    const words = this.#words.search(query, {
      accept: (id) => this.#permits(id, accept),
      alwaysNgrams,
    })
    const named = serversNamedIn(query, this.#servers)
    const exact = this.#words.named(query)
    const wantsToKnow = isQuestion(query)
    // Checked for every tool, so empty sets are skipped.
    const hasExact = exact.size > 0
    const bonus = (tool: Tool) =>
      (named.size > 0 && named.has(tool.server) ? NAMED_SERVER : 0) + (standing?.(tool) ?? 0)
    const near = (id: string) => nearness?.whole(id) ?? 0
    const held = (id: string) => words.get(id)?.held ?? 0
    const elsewhere = nearness?.elsewhere?.((id) => this.#permits(id, accept))
    const floor = elsewhere === undefined ? NEAR_ALONE : Math.max(NEAR, elsewhere - ELSEWHERE)
    return {
      found: new Set([...words.keys(), ...exact]),
      mostBonus: (named.size > 0 ? NAMED_SERVER : 0) + (standing ? MAX_STANDING : 0),
      scoreOf(id: string, tool: Tool): number | undefined {
        const found = words.get(id)
        const isExact = hasExact && exact.has(id)
        if (!nearness && !isExact && (!found || found.share < CUT)) return undefined
        return (
          (found?.score ?? 0) + MEANING_WEIGHT * near(id) + (isExact ? EXACT_NAME : 0) + bonus(tool)
        )
      },
      atSecondLook(id: string, tool: Tool, extraWords: readonly string[]): number {
        const word = nearness?.words?.(id)
        const byWord = word ? wordScore(word, extraWords) : 0
        return byWord + (wantsToKnow && changesSomething(tool) ? CHANGES : 0)
      },
      isStrong: (id: string) =>
        near(id) >= floor ||
        held(id) >= HELD ||
        (near(id) >= NEAR && (nearness?.words?.(id)?.said ?? 0) >= SAID),
      reasonFor(id: string): ToolHit['foundBy'] {
        if (exact.has(id)) return 'name'
        if (near(id) < NEAR) return 'words'
        return held(id) > 0 ? 'both' : 'meaning'
      },
    }
  }

  /** Returns tools of the same server that deal with the same thing, which may be needed too. */
  neighbours(tool: Tool, { limit, accept }: Pick<ToolSearch, 'limit' | 'accept'>): Tool[] {
    const [, ...thing] = splitIdentifier(shownName(tool))
    if (thing.length === 0) return []
    const hits = this.search(thing.join(' '), {
      limit: limit + 1,
      alwaysNgrams: true,
      accept: (other) => other.server === tool.server && accept(other),
    })
    return hits
      .map((hit) => hit.tool)
      .filter((other) => other !== tool)
      .slice(0, limit)
  }

  #permits(id: string, accept: (tool: Tool) => boolean): boolean {
    const tool = this.#tools.get(id)
    return tool !== undefined && accept(tool)
  }
}

function comparedOf({ requests = 1 }: ToolSearch): number {
  return Math.min(MAX_COMPARED, Math.ceil(MAX_COMPARED_IN_ALL / requests))
}

function wordScore(word: WordNearness, extraWords: readonly string[]): number {
  const relative = extraWords.length > 0 ? RELATIVE * (1 - word.asks(extraWords)) : 0
  return (
    SAID_WEIGHT * word.said +
    NAMED_WEIGHT * word.named +
    DOES_WEIGHT * word.does +
    OBJECT_WEIGHT * word.object +
    ACTION_WEIGHT * word.acts +
    relative
  )
}

function changesSomething(tool: Tool): boolean {
  const effect = knownEffect(tool)
  return effect === 'write' || effect === 'delete'
}

/** Merges lists by place: first the first of each, then the second of each. */
export function inTurn(lists: readonly (readonly ToolHit[])[], limit: number): ToolHit[] {
  const found = new Map<Tool, ToolHit>()
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let place = 0; place < longest && found.size < limit; place++) {
    for (const hits of lists) {
      const hit = hits[place]
      if (hit && !found.has(hit.tool)) found.set(hit.tool, hit)
    }
  }
  return [...found.values()].slice(0, limit)
}

/** Creates the index of all tools of a catalog. */
export function createCatalogIndex(catalog: Catalog, meanings?: ToolMeanings): () => ToolIndex {
  return createListingIndex(catalog, (index) => {
    const tools = catalog.servers.flatMap(({ listing }) => listing.tools)
    index.update(tools)
    meanings?.update(tools)
  })
}

/** Creates an index of a catalog, updated on use when a listing was replaced. */
export function createListingIndex(
  catalog: Catalog,
  update: (index: ToolIndex) => void,
): () => ToolIndex {
  const index = new ToolIndex()
  let seen: readonly Listing[] = []
  return () => {
    const listings = catalog.servers.map(({ listing }) => listing)
    const same = listings.length === seen.length && listings.every((one, i) => one === seen[i])
    if (!same) {
      seen = listings
      update(index)
    }
    return index
  }
}
