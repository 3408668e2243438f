import type { Catalog } from '../../gateway/catalog.ts'
import type { Listing, Tool } from '../../gateway/upstream.ts'
import { isObject } from '../../base/json.ts'
import { defineAnalyser } from '../../search/analyse/analyser.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import { STOP_WORDS } from '../../search/analyse/stop-words.ts'
import { TextIndex } from '../../search/text-index.ts'
import { toolKey } from '../../gateway/tool-ref.ts'
import type { Nearest, ToolMeanings } from './tool-meanings.ts'
import { synonymsOf } from './tool-synonyms.ts'

export interface ToolHit {
  readonly tool: Tool
  /** 0..1, against the best hit of its query. */
  readonly score: number
}

export interface ToolSearch {
  readonly limit: number
  /** Which tools may be seen at all: what an agent is not permitted, it does not find. */
  readonly accept: (tool: Tool) => boolean
  /** What an embedder finds near the query, where there is one. */
  readonly nearest?: Nearest | undefined
}

/** `get` and `list` are stop words in prose, but carry meaning in the name of a tool. */
const VERBS = new Set(['get', 'use', 'off', 'up', 'out', 'do', 'one', 'own'])
const stopWords = new Set([...STOP_WORDS].filter((word) => !VERBS.has(word)))
const words = defineAnalyser({ identifiers: true, stem: true, stopWords })
const grams = defineAnalyser({ ngrams: 4, stopWords })

const CANDIDATES = 60
/** Reciprocal rank fusion: how much the first ranks count more than the next. */
const RANK_OFFSET = 5
const SYNONYM_WEIGHT = 0.7
/** Hits that share less with their query than this part of what the best one shares are noise. */
const CUT = 0.3

/**
 * Finds tools by what they are called, say and take. Words and character n-grams are ranked apart
 * and fused: words are sharper, n-grams forgive spelling, plurals and joined names.
 */
export class ToolIndex {
  readonly #words = new TextIndex({
    name: { analyser: words, weight: 3, lengthPenalty: 0.4 },
    description: { analyser: words, weight: 1 },
    parameters: { analyser: words, weight: 0.3 },
    server: { analyser: words, weight: 0.5, lengthPenalty: 0 },
  })
  readonly #grams = new TextIndex({
    name: { analyser: grams, weight: 2, lengthPenalty: 0.5 },
    description: { analyser: grams, weight: 1 },
  })
  readonly #tools = new Map<string, Tool>()

  get size(): number {
    return this.#tools.size
  }

  /** Makes the index hold exactly these tools; what did not change is not read again. */
  update(tools: Iterable<Tool>): void {
    const gone = new Set(this.#tools.keys())
    for (const tool of tools) {
      const id = toolKey(tool)
      gone.delete(id)
      if (this.#tools.get(id)?.definition !== tool.definition) this.#set(id, tool)
    }
    for (const id of gone) this.#delete(id)
  }

  /** The best tools for a query, best first. */
  search(query: string, { limit, accept, nearest }: ToolSearch): ToolHit[] {
    const options = { limit: CANDIDATES, accept: (id: string) => this.#permits(id, accept) }
    const also = { words: synonymsOf(query), weight: SYNONYM_WEIGHT }
    const fused = new Map<string, { rank: number; share: number }>()
    for (const hits of [
      this.#words.search(query, { ...options, also }),
      this.#grams.search(query, options),
    ]) {
      const best = hits[0]?.score ?? 1
      for (const [position, { id, score }] of hits.entries()) {
        const entry = fused.get(id) ?? { rank: 0, share: 0 }
        entry.rank += 1 / (RANK_OFFSET + position)
        entry.share = Math.max(entry.share, score / best)
        fused.set(id, entry)
      }
    }
    for (const [position, tool] of (nearest?.(accept) ?? []).entries()) {
      const entry = fused.get(toolKey(tool)) ?? { rank: 0, share: 0 }
      entry.rank += 1 / (RANK_OFFSET + position)
      entry.share = 1
      fused.set(toolKey(tool), entry)
    }
    const ranked = [...fused].filter(([, { share }]) => share >= CUT)
    const sorted = ranked.toSorted(([, a], [, b]) => b.rank - a.rank).slice(0, limit)
    const top = sorted[0]?.[1].rank ?? 1
    return sorted.flatMap(([id, { rank }]) => {
      const tool = this.#tools.get(id)
      return tool ? [{ tool, score: rank / top }] : []
    })
  }

  /** Several questions at once: each gets its best tools in turn, none twice. */
  searchAll(
    queries: readonly string[],
    options: Omit<ToolSearch, 'nearest'>,
    meanings: readonly Nearest[] = [],
  ): ToolHit[] {
    const lists = queries.map((query, at) =>
      this.search(query, { ...options, nearest: meanings[at] }),
    )
    const found = new Map<Tool, ToolHit>()
    for (let position = 0; position < options.limit; position++) {
      for (const hits of lists) {
        const hit = hits[position]
        if (hit && !found.has(hit.tool)) found.set(hit.tool, hit)
      }
    }
    return [...found.values()].slice(0, Math.max(options.limit, queries.length))
  }

  /** Tools of the same server that deal with the same thing: what else one may need with this one. */
  neighbours(tool: Tool, { limit, accept }: ToolSearch): Tool[] {
    const [, ...thing] = splitIdentifier(tool.name)
    if (thing.length === 0) return []
    const hits = this.search(thing.join(' '), {
      limit: limit + 1,
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

  #set(id: string, tool: Tool): void {
    const { description, title } = tool.definition
    const about = [title, description].filter((text) => typeof text === 'string').join('. ')
    this.#tools.set(id, tool)
    this.#words.set(id, {
      name: tool.name,
      description: about,
      parameters: parametersOf(tool),
      server: tool.server,
    })
    this.#grams.set(id, { name: spaced(tool.name), description: about })
  }

  #delete(id: string): void {
    this.#tools.delete(id)
    this.#words.delete(id)
    this.#grams.delete(id)
  }
}

/** So that n-grams of a name do not run over the ends of its words. */
function spaced(name: string): string {
  return splitIdentifier(name).join(' ')
}

const MOST_PARAMETERS = 100

function parametersOf({ definition }: Tool): string {
  const schema = definition['inputSchema']
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  return Object.entries(properties)
    .slice(0, MOST_PARAMETERS)
    .map(([name, property]) => {
      const description = isObject(property) ? property['description'] : undefined
      return typeof description === 'string' ? `${name} ${description.slice(0, 120)}` : name
    })
    .join(' ')
}

/** The index of all tools of a catalog, updated on use when a listing was replaced. */
export function createCatalogIndex(
  catalog: Catalog,
  meanings?: ToolMeanings,
  index = new ToolIndex(),
): () => ToolIndex {
  let seen: readonly Listing[] = []
  return () => {
    const listings = catalog.servers.map(({ listing }) => listing)
    const same = listings.length === seen.length && listings.every((one, i) => one === seen[i])
    if (!same) {
      seen = listings
      const tools = listings.flatMap((listing) => listing.tools)
      index.update(tools)
      meanings?.update(tools)
    }
    return index
  }
}
