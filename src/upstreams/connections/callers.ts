import { canAnswer } from '../../gateway/questions/ask-client.ts'
import type { Client } from '../../gateway/call.ts'
import { withTimeout, untilAborted } from '../../base/flow/time.ts'
import type { Signal } from '../../base/flow/signal.ts'

/** How long a question is held while its client is unknown; roots can be answered anyway. */
const HOLD_MS = 20_000
const HOLD_ROOTS_MS = 500

/** The clients with calls in flight on a connection: a server's question belongs to one of them. */
export class Callers {
  /** One entry per call; a Map that changes with every call would be costly (see Registry). */
  readonly #inFlight: Client[] = []
  readonly #holding: (() => void)[] = []
  /** Calls that wait until no question is held. */
  readonly #queued: (() => void)[] = []
  #held = 0
  readonly #holdMs: number
  /** The client that the connection belongs to, if it is not shared. */
  owner: Client | undefined

  constructor(owner?: Client, holdMs = HOLD_MS) {
    this.owner = owner
    this.#holdMs = holdMs
  }

  get count(): number {
    return this.#inFlight.length
  }

  /** Runs a call on behalf of a client. While a question is held, new calls wait. */
  during<T>(client: Client | undefined, call: () => Promise<T>): Promise<T> {
    if (!client) return call()
    if (this.#held > 0)
      return new Promise<void>((resolve) => this.#queued.push(resolve)).then(() =>
        this.during(client, call),
      )
    this.#inFlight.push(client)
    const running = call()
    // Before anything that its caller does next, and without another promise to wait for.
    const left = () => this.#left(client)
    running.then(left, left)
    return running
  }

  #left(client: Client): void {
    const last = this.#inFlight.pop()
    const at = last === client ? -1 : this.#inFlight.lastIndexOf(client)
    if (at !== -1 && last) this.#inFlight[at] = last
    if (this.#holding.length > 0 && !this.#several)
      for (const proceed of this.#holding.splice(0)) proceed()
  }

  /**
   * The client that a message belongs to. One stream carries all calls, so it is known only while
   * one client alone is waiting.
   */
  get origin(): Client | undefined {
    return this.#several ? undefined : (this.#inFlight.at(-1) ?? this.owner)
  }

  /**
   * Returns the client that a question is for. While several clients wait, the question is held and
   * no new call starts: calls that ask nothing end meanwhile, so the client that is asked remains.
   * Undefined if more than one client remains in the end.
   */
  async clientFor(method: string, signal: Signal): Promise<Client | undefined> {
    if (!this.#several) return this.origin
    const isRoots = method === 'roots/list'
    // If no client can answer, all get the same error, so it does not matter which one is asked.
    if (!isRoots && !this.#inFlight.some((client) => canAnswer(client, method)))
      return this.#inFlight.at(-1)
    const holdMs = isRoots ? HOLD_ROOTS_MS : this.#holdMs
    this.#held += 1
    try {
      await withTimeout(untilAborted(this.#oneLeft(), signal), holdMs, () => undefined)
      return this.origin
    } finally {
      this.#held -= 1
      if (this.#held === 0) for (const proceed of this.#queued.splice(0)) proceed()
    }
  }

  async #oneLeft(): Promise<void> {
    return new Promise((resolve) => this.#holding.push(resolve))
  }

  get #several(): boolean {
    const [first, ...others] = this.#inFlight
    return first !== undefined && others.some((other) => !isSame(first, other))
  }
}

/** Modern clients have no session, so any two of their calls may come from two clients. */
function isSame(one: Client, other: Client): boolean {
  return one.session !== '' && one.session === other.session
}
