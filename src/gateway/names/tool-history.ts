import { stringifyExact } from '../../base/json/exact-json.ts'
import { nearest } from '../../base/text/nearest.ts'
import { type ToolRef, toolKey } from '../tools/tool-ref.ts'
import type { Listing, Tool, Upstream } from '../upstream.ts'

/** A tool that existed earlier in this process. */
export interface RemovedTool {
  /** When it was found missing, in milliseconds since the epoch. */
  readonly at: number
  /** Whether its whole server was removed from the configuration. */
  readonly withServer: boolean
  /** The tool of the same server that replaced it, and what they have in common. */
  readonly successor?: Successor | undefined
}

interface Successor {
  readonly name: string
  readonly alike: 'description and schema' | 'name and schema' | 'name and description'
}

interface MissingTool {
  readonly at: number
  readonly tool: Tool
  /** Tools that were new in the same listing. */
  readonly added: readonly Tool[]
}

const MAX_TOOLS = 5_000

/** Records which tools are gone, since when, and what replaced them; sees every catalog change. */
export class ToolHistory {
  readonly #listings = new Map<string, Listing>()
  readonly #missed = new Map<string, MissingTool>()
  readonly #removed = new Map<string, number>()

  observe(servers: readonly Upstream[], at = Date.now()): void {
    const names = new Set(servers.map(({ name }) => name))
    for (const name of this.#listings.keys()) if (!names.has(name)) this.#remove(name, at)
    for (const { name, listing } of servers) {
      this.#removed.delete(name)
      // A restarted server has no listing until it has answered: nothing is gone yet.
      if (listing.serverInfo === undefined && listing.tools.length === 0) continue
      const before = this.#listings.get(name)
      if (before === listing) continue
      this.#listings.set(name, listing)
      this.#compare(before?.tools ?? [], listing.tools, at)
    }
  }

  find(ref: ToolRef): RemovedTool | undefined {
    const removedAt = this.#removed.get(ref.server)
    if (removedAt !== undefined) return { at: removedAt, withServer: true }
    const missed = this.#missed.get(toolKey(ref))
    return missed && { at: missed.at, withServer: false, successor: successorOf(missed) }
  }

  /** When a server was removed from the configuration. */
  removedAt(server: string): number | undefined {
    return this.#removed.get(server)
  }

  get removedServers(): Iterable<string> {
    return this.#removed.keys()
  }

  #remove(server: string, at: number): void {
    this.#listings.delete(server)
    this.#removed.set(server, at)
    trim(this.#removed)
  }

  #compare(before: readonly Tool[], after: readonly Tool[], at: number): void {
    const known = new Set(before.map(toolKey))
    const now = new Set(after.map(toolKey))
    const added = after.filter((tool) => !known.has(toolKey(tool)))
    for (const key of now) this.#missed.delete(key)
    for (const tool of before)
      if (!now.has(toolKey(tool))) this.#missed.set(toolKey(tool), { at, tool, added })
    trim(this.#missed)
  }
}

/** Returns the only added tool that has two of name, description and schema of the lost one. */
function successorOf({ tool, added }: MissingTool): Successor | undefined {
  const names = added.map(({ name }) => name)
  const near = new Set(nearest(tool.name, names, { most: names.length }))
  const found = added.flatMap((candidate): Successor[] => {
    const isNear = near.has(candidate.name)
    const schema = same(tool, candidate, 'inputSchema')
    const description =
      tool.definition['description'] !== undefined && same(tool, candidate, 'description')
    if (schema && description) return [{ name: candidate.name, alike: 'description and schema' }]
    if (isNear && schema) return [{ name: candidate.name, alike: 'name and schema' }]
    if (isNear && description) return [{ name: candidate.name, alike: 'name and description' }]
    return []
  })
  const [first, ...others] = found
  return others.length === 0 ? first : undefined
}

function same(one: Tool, other: Tool, field: string): boolean {
  return stringifyExact(one.definition[field]) === stringifyExact(other.definition[field])
}

function trim(entries: Map<string, unknown>): void {
  for (const key of entries.keys()) {
    if (entries.size <= MAX_TOOLS) return
    entries.delete(key)
  }
}
