import { type ToolRef, explainsItself } from '../tools/tool-ref.ts'

/** Far more than one gateway has; beyond it the names that were given first are dropped. */
const MAX_NAMES = 50_000

/**
 * The names that were shown to clients, and their meanings. Clients and models go on using a name
 * after the servers have changed, so it keeps its meaning and is never given to another tool.
 */
export class GivenNames {
  readonly #refs = new Map<string, ToolRef>()
  /** Given by an earlier process or by another replica, and not used in this process yet. */
  readonly #learned = new Map<string, ToolRef>()
  readonly #changed: () => void
  #revision = 0

  /** `changed` is called when there is a new name whose meaning has to be stored. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed
  }

  /** Changes whenever names were learned, since other names are free then. */
  get revision(): number {
    return this.#revision
  }

  /** Returns what a name means that was given before. */
  find(name: string): ToolRef | undefined {
    const known = this.#refs.get(name)
    if (known) return known
    const learned = this.#learned.get(name)
    if (learned) this.#use(name, learned)
    return learned
  }

  isFreeFor(name: string, ref: ToolRef): boolean {
    const known = this.#refs.get(name) ?? this.#learned.get(name)
    return known === undefined || isSame(known, ref)
  }

  /** Records a name that is about to be shown. */
  give(name: string, { server, name: own }: ToolRef): void {
    if (this.#refs.has(name)) return
    this.#use(name, this.#learned.get(name) ?? { server, name: own })
  }

  /** Records a name given elsewhere. Names that this process gave keep their meaning here. */
  learn(name: string, ref: ToolRef): void {
    const known = this.#refs.get(name) ?? this.#learned.get(name)
    if (known && (isSame(known, ref) || this.#refs.has(name))) return
    this.#learned.set(name, { server: ref.server, name: ref.name })
    trim(this.#learned)
    this.#revision++
  }

  /** Moves names to the new name of a server; they go on meaning the same tools. */
  rename(from: string, to: string): void {
    for (const names of [this.#refs, this.#learned])
      for (const [name, ref] of names)
        if (ref.server === from) names.set(name, { server: to, name: ref.name })
    this.#revision++
  }

  /** Yields names used in this process whose meaning would be lost without being stored. */
  *toStore(): Generator<readonly [name: string, ref: ToolRef]> {
    for (const [name, ref] of this.#refs) if (!explainsItself(name, ref)) yield [name, ref]
  }

  #use(name: string, ref: ToolRef): void {
    this.#learned.delete(name)
    this.#refs.set(name, ref)
    trim(this.#refs)
    if (!explainsItself(name, ref)) this.#changed()
  }
}

function isSame(one: ToolRef, other: ToolRef): boolean {
  return one.server === other.server && one.name === other.name
}

function trim(names: Map<string, ToolRef>): void {
  if (names.size <= MAX_NAMES) return
  const [oldest] = names.keys()
  if (oldest !== undefined) names.delete(oldest)
}
