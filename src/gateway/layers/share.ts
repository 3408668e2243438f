import { Stopwatch } from '../../base/time.ts'
import { isAskable, withQuestions } from '../ask-client.ts'
import { type Authorized, type CallResult, type Client, onBehalf } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { rootOf } from '../policy.ts'
import { type Lane, createLane } from '../slots.ts'

export interface ShareOptions {
  /** How many calls an upstream gets at once; `undefined` for as many as come. */
  readonly limitOf: (upstream: string) => number | undefined
  /** The part of these that one agent may have, from 0 to 1; it may always have one. */
  readonly agentShare: number
}

/**
 * Shares the slots of each upstream fairly between agents. It stands inside `deadline`: waiting for
 * a slot spends the time of the call, and a call that is aborted leaves the queue at once.
 */
export function share(options: ShareOptions): Layer<Authorized, Authorized, CallResult> {
  const { limitOf, agentShare } = options
  const lanes = new Map<string, Lane>()

  return (next) => async (call) => {
    const { name } = call.upstream
    if (limitOf(name) === undefined) return next(call)
    let lane = lanes.get(name)
    if (lane === undefined) {
      const slots = () => Math.max(limitOf(name) ?? Infinity, 1)
      const ofOneAgent = () => Math.max(Math.floor(slots() * agentShare), 1)
      lane = createLane(slots, ofOneAgent)
      lanes.set(name, lane)
    }
    // Minting handles is no way to more slots.
    const agent = rootOf(call.agent)
    const turn = lane.enter(agent, call.signal)
    if (turn !== undefined) await (call.event.waited ??= new Stopwatch()).during(turn)
    const lent = isAskable(call.client) ? new LentSlot(lane) : undefined
    try {
      return await next(lent ? onBehalf(call, call.signal, lent.follow(call.client)) : call)
    } finally {
      lent?.close()
      lane.leave(agent)
    }
  }
}

/** Programs answer sooner than this, people do not. */
const LEND_AFTER_MS = 250

/** The slot of a call, which others may use while its server waits for an answer of the client. */
class LentSlot {
  readonly #lane: Lane
  #timer: NodeJS.Timeout | undefined
  #lent = false
  #closed = false

  constructor(lane: Lane) {
    this.#lane = lane
  }

  follow(client: Client): Client {
    return withQuestions(
      client,
      () => {
        if (!this.#closed) this.#timer = setTimeout(() => this.#lend(), LEND_AFTER_MS)
      },
      () => this.#takeBack(),
    )
  }

  /** The call is over, even where a question of it is still open. */
  close(): void {
    this.#closed = true
    this.#takeBack()
  }

  #lend(): void {
    this.#lent = this.#lane.lend()
  }

  #takeBack(): void {
    clearTimeout(this.#timer)
    if (this.#lent) this.#lane.takeBack()
    this.#lent = false
  }
}
