import { GivenNames } from './given-names.ts'
import type { NameMap, OwnNames } from './name-map.ts'
import { serversHere } from './servers-here.ts'
import { ToolHistory } from './tool-history.ts'

/** The names that clients were shown; they stay valid across reloads, whatever the servers do. */
export class KnownNames {
  readonly tools = new GivenNames(() => this.#changed())
  readonly prompts = new GivenNames(() => this.#changed())
  readonly history = new ToolHistory()
  /** Former names of servers, and their current ones. */
  readonly #renamed = new Map<string, string>()
  #changed: () => void = () => undefined

  /** Sets the one listener, which is called when something has to be stored. */
  onChange(listener: () => void): void {
    this.#changed = listener
  }

  /** Returns the current name of a server, given a former one that is not configured now. */
  current(server: string): string {
    return this.#renamed.get(server) ?? server
  }

  get formerServers(): Iterable<string> {
    return this.#renamed.keys()
  }

  /** A name in the configuration means that server, whatever had the name before. */
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

  /** Returns what this process has to store, with the fingerprints of the configured servers. */
  own(servers: OwnNames['servers']): OwnNames {
    const { tools, prompts } = this
    return { servers, renamed: this.#renamed, tools: tools.toStore(), prompts: prompts.toStore() }
  }

  /** Learns what earlier processes and other replicas have stored. */
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
