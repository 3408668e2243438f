import { randomUUID } from 'node:crypto'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../base/json/json.ts'
import { groupBy } from '../base/maps.ts'
import type { Canceller, Signal } from '../base/flow/signal.ts'
import { canBeAsked } from '../gateway/questions/ask-client.ts'
import { OpenQuestions } from '../gateway/questions/open-questions.ts'

const PREFIX = 'portolan-'
const PARKED_MS = 10 * 60_000
const MAX_PARKED = 10_000
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Whether a request may end with a question to its client, or continues one that did. */
export function mayPark(
  { method, params }: { readonly method: string; readonly params: JsonObject },
  capabilities: JsonObject,
): boolean {
  if (!MAY_ASK.has(method)) return false
  return params['requestState'] !== undefined || canBeAsked({ capabilities })
}

/**
 * A call that can pause to ask its client. Legacy servers ask in the middle of a call; modern
 * clients can only be asked by ending the request. So the call is held here, its request is
 * answered with the questions, and the client's next request brings the answers.
 */
export class ParkableCall {
  readonly #canceller: Canceller
  readonly #replica: string
  #state: string | undefined
  #questions: OpenQuestions | undefined
  #outcome: Promise<JsonObject> | undefined
  #answer: ((result: JsonObject) => void) | undefined
  #sink: ((method: string, params: JsonObject) => void) | undefined

  /** `canceller` belongs to the request that started the call; it cancels the call from then on. */
  constructor(canceller: Canceller, replica: string) {
    this.#canceller = canceller
    this.#replica = replica
  }

  /** Identifies the call while it waits; made on demand, because most calls never wait. */
  get state(): string {
    this.#state ??= `${PREFIX}${this.#replica}.${randomUUID()}`
    return this.#state
  }

  get waiting(): boolean {
    return this.#questions !== undefined && this.#questions.size > 0
  }

  get signal(): Signal {
    return this.#canceller
  }

  notify(method: string, params: JsonObject): void {
    this.#sink?.(method, params)
  }

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    this.#questions ??= new OpenQuestions()
    const answer = this.#questions.ask(method, params)
    this.#answer?.(this.#inputRequired())
    return answer
  }

  start(run: Promise<JsonObject>): void {
    this.#outcome = run
  }

  answer(responses: unknown): void {
    this.#questions?.answer(responses)
  }

  /** Resolves when the call ends or has a question; notifications go to this request until then. */
  async next(sink: (method: string, params: JsonObject) => void): Promise<JsonObject> {
    this.#sink = sink
    if (this.waiting) return this.#inputRequired()
    try {
      return await new Promise((resolve, reject) => {
        this.#answer = resolve
        this.#outcome?.then(resolve, reject)
      })
    } finally {
      // Otherwise V8 treats requests as long-lived objects (docs/decisions/calls-let-go.md).
      this.#answer = undefined
      this.#sink = undefined
    }
  }

  abandon(reason: Error): void {
    this.#canceller.abort(reason)
    this.#questions?.abandon(reason)
  }

  #inputRequired(): JsonObject {
    this.#sink = undefined
    return {
      resultType: 'input_required',
      inputRequests: this.#questions?.requests ?? {},
      requestState: this.state,
    }
  }
}

/** Returns the replica that holds the call with this state; undefined if the state is not ours. */
export function holderOf(state: unknown): string | undefined {
  if (typeof state !== 'string' || !state.startsWith(PREFIX)) return undefined
  return state.slice(PREFIX.length).split('.')[0]
}

/** Calls that wait for an answer from their client. Only the owner of a call may resume it. */
export class ParkedCalls {
  readonly #calls = new Map<string, { call: ParkableCall; owner: string; timer: NodeJS.Timeout }>()
  readonly #most: number

  constructor(most = MAX_PARKED) {
    this.#most = most
  }

  park(call: ParkableCall, owner: string): void {
    if (this.#calls.size >= this.#most)
      this.#drop(this.#oldestOfBusiest(), 'too many calls wait for an answer of their client')
    const timer = setTimeout(
      () => this.#drop(call.state, 'its client did not answer within 10 minutes'),
      PARKED_MS,
    )
    timer.unref()
    this.#calls.set(call.state, { call, owner, timer })
  }

  /** Removes and returns the call that a request continues. */
  resume(state: string, owner: string): ParkableCall {
    const parked = this.#calls.get(state)
    if (!parked || parked.owner !== owner)
      throw new RpcError(
        RPC.invalidParams,
        'requestState is unknown or has expired: call again without it',
      )
    clearTimeout(parked.timer)
    this.#calls.delete(state)
    return parked.call
  }

  /** Cancels all parked calls, because nobody can answer them any more. */
  abandon(reason: Error): void {
    for (const state of this.#calls.keys()) this.#end(state, reason)
  }

  /** Returns the oldest call of the owner with the most calls, so that nobody displaces others. */
  #oldestOfBusiest(): string {
    const byOwner = groupBy(this.#calls, ([, { owner }]) => owner)
    const groups = [...byOwner.values()]
    const most = Math.max(...groups.map((group) => group.length))
    const [oldest] = groups.find((group) => group.length === most)?.[0] ?? []
    return oldest ?? ''
  }

  #drop(state: string, why: string): void {
    this.#end(state, new Error(`The call was cancelled because ${why}. Call the tool again.`))
  }

  #end(state: string, reason: Error): void {
    const parked = this.#calls.get(state)
    this.#calls.delete(state)
    clearTimeout(parked?.timer)
    parked?.call.abandon(reason)
  }
}
