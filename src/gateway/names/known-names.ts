import { GivenNames } from './given-names.ts'
import { ToolHistory } from './tool-history.ts'

/** The names that clients were shown, across reloads: their names stay valid while servers come and go. */
export class KnownNames {
  readonly tools = new GivenNames()
  readonly prompts = new GivenNames()
  readonly history = new ToolHistory()
  /** Names that servers had, and the ones they have now. */
  readonly #renamed = new Map<string, string>()

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
  }
}
