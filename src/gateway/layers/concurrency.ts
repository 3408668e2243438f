import { Stopwatch } from '../../base/flow/time.ts'
import { lateAnswerTo } from '../../protocol/late-answers.ts'
import { rawText } from '../../protocol/raw-text.ts'
import { canBeAsked, withQuestions } from '../questions/ask-client.ts'
import { type Authorized, type CallResult, type Client, onBehalf } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { rootOf } from '../agents/policy.ts'
import type { Slots } from '../state/slots.ts'
import { stateKeyOf } from '../upstream.ts'

/** The share of a server's slots that one agent may have, so that it cannot take them all. */
export const AGENT_SHARE = 0.75

export interface ConcurrencyOptions {
  /** How many calls an upstream gets at once; `undefined` for no limit. */
  readonly limitOf: (upstream: string) => number | undefined
  /** The share of these that one agent may have, from 0 to 1; at least one. */
  readonly agentShare: number
}

/**
 * Shares the slots of each upstream fairly between agents. It stands inside `deadline`: waiting for
 * a slot spends the time of the call, and an aborted call leaves the queue at once. A call that is
 * aborted after it was sent keeps its slot for as long as its server works on it.
 *
 * ```json
 * // .mcp.json
 * { "mcpServers": { "db": { "command": "db-server", "max_concurrency": 2 } } }
 * ```
 */
export function concurrency(
  { limitOf, agentShare }: ConcurrencyOptions,
  slotsOf: (upstream: string) => Slots,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    async function inSlot(call: Authorized, slots: Slots, agent: string): Promise<CallResult> {
      const lent = canBeAsked(call.client) ? new LentSlot(slots) : undefined
      let result: CallResult | undefined
      try {
        result = await next(lent ? onBehalf(call, call.signal, lent.follow(call.client)) : call)
        return result
      } finally {
        lent?.close()
        const ended = call.signal.aborted ? lateAnswerTo(call.signal) : undefined
        if (ended === undefined) slots.leave(agent, result && rawText(result)?.length)
        else slots.abandon(agent, ended)
      }
    }

    return (call) => {
      const { name } = call.upstream
      const total = limitOf(name)
      if (total === undefined) return next(call)
      const slots = slotsOf(stateKeyOf(call.upstream))
      // Slots count for the root agent, so that minting handles does not give more of them.
      const agent = rootOf(call.agent)
      const perAgent = Math.max(Math.floor(total * agentShare), 1)
      const turn = slots.enter(agent, call.signal, { total: Math.max(total, 1), perAgent })
      if (turn === undefined) return inSlot(call, slots, agent)
      const waited = (call.event.waited ??= new Stopwatch()).during(turn)
      return waited.then(() => inSlot(call, slots, agent))
    }
  }
}

/** Programs answer sooner than this, people do not. */
const LEND_AFTER_MS = 250

/** The slot of a call, which others may use while its server waits for the client. */
class LentSlot {
  readonly #slots: Slots
  #timer: NodeJS.Timeout | undefined
  #lent = false
  #closed = false

  constructor(slots: Slots) {
    this.#slots = slots
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

  /** Ends the lending with the call, even if a question is still open. */
  close(): void {
    this.#closed = true
    this.#takeBack()
  }

  #lend(): void {
    this.#lent = this.#slots.lend()
  }

  #takeBack(): void {
    clearTimeout(this.#timer)
    if (this.#lent) this.#slots.takeBack()
    this.#lent = false
  }
}
