import type { ToolRef } from '../tools/tool-ref.ts'

/** Far more than one gateway has; beyond it the names that were given first are forgotten. */
const MOST_NAMES = 50_000

/**
 * The names that were shown to clients, and what each of them means. Clients and models go on using a
 * name after the servers have changed, so that it keeps its meaning and is never given to another tool.
 */
export class GivenNames {
  readonly #refs = new Map<string, ToolRef>()

  /** What a name means that was given before. */
  find(name: string): ToolRef | undefined {
    return this.#refs.get(name)
  }

  isFreeFor(name: string, { server, name: own }: ToolRef): boolean {
    const known = this.#refs.get(name)
    return known === undefined || (known.server === server && known.name === own)
  }

  /** The name is about to be shown. */
  give(name: string, { server, name: own }: ToolRef): void {
    if (this.#refs.has(name)) return
    this.#refs.set(name, { server, name: own })
    const [oldest] = this.#refs.keys()
    if (this.#refs.size > MOST_NAMES && oldest !== undefined) this.#refs.delete(oldest)
  }

  /** A server has another name now: what was given for its tools means the same tools. */
  rename(from: string, to: string): void {
    for (const [name, ref] of this.#refs)
      if (ref.server === from) this.#refs.set(name, { server: to, name: ref.name })
  }
}
