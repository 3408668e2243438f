import { GivenNames } from './given-names.ts'
import type { NameMap, OwnNames } from './name-map.ts'
import { serversHere } from './servers-here.ts'
import { ToolHistory } from './tool-history.ts'

/** The names that clients were shown, across reloads: their names stay valid while servers come and go. */
export class KnownNames {
  readonly tools = new GivenNames(() => this.#changed())
  readonly prompts = new GivenNames(() => this.#changed())
  readonly history = new ToolHistory()
  /** Names that servers had, and the ones they have now. */
  readonly #renamed = new Map<string, string>()
  #changed: () => void = () => undefined

  /** Called when something has to be stored; one listener. */
  onChange(listener: () => void): void {
    this.#changed = listener
  }

  /** The name that a server has now; what it was is not configured any more. */
  current(server: string): string {
    return this.#renamed.get(server) ?? server
  }

  get formerServers(): Iterable<string> {
    return this.#renamed.keys()
  }

  /** The configuration has a server of this name: whatever had it before, it means this one. */
  configured(servers: Iterable<string>): void {
    for (const name of servers) this.#renamed.delete(name)
  }

  renamed(from: string, to: string): void {
    this.tools.rename(from, to)
    this.prompts.rename(from, to)
    for (const [former, now] of this.#renamed) if (now === from) this.#renamed.set(former, to)
    this.#renamed.set(from, to)
    this.#changed()
  }

  /** What this process has to store, under the servers that are configured, each with its fingerprint. */
  own(servers: OwnNames['servers']): OwnNames {
    const { tools, prompts } = this
    return { servers, renamed: this.#renamed, tools: tools.toStore(), prompts: prompts.toStore() }
  }

  /** Takes over what earlier processes and other replicas have stored. */
  learn(map: NameMap, servers: OwnNames['servers']): void {
    const here = serversHere(map, servers)
    for (const [name, { seenAt }] of map.servers) {
      if (servers.has(name)) continue
      const now = here(name)
      if (now === undefined) this.history.remember(name, seenAt)
      else if (!this.#renamed.has(name)) this.#renamed.set(name, now)
    }
    for (const kind of ['tools', 'prompts'] as const)
      for (const [name, { server, name: own }] of map[kind])
        this[kind].learn(name, { server: here(server) ?? server, name: own })
  }
}
