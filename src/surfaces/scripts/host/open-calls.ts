import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { CallResult } from '../../../gateway/call.ts'

/** A call of a script whose server asks its client something before it answers. */
export interface OpenCall {
  /** The id of the script's request that waits for it. */
  readonly id: number
  /** Its index in the trail. */
  readonly entry: number
  readonly inputRequests: JsonObject
  /** State that the server wants back with the answers, if any. */
  readonly requestState?: unknown
}

/** The parameters to repeat a call with once its questions are answered. */
export interface Continuation {
  readonly entry: number
  readonly params: JsonObject
}

/** The calls of one script that wait for their client; their questions are sent together. */
export class OpenCalls {
  readonly #calls: Map<number, OpenCall>
  #responses: JsonObject = {}

  constructor(calls: readonly OpenCall[] = []) {
    this.#calls = new Map(calls.map((call) => [call.id, call]))
  }

  get all(): readonly OpenCall[] {
    return [...this.#calls.values()]
  }

  /** The questions in the form of the modern era; the keys also name the call. */
  get inputRequests(): JsonObject {
    const all = this.all.flatMap(({ id, inputRequests }) =>
      Object.entries(inputRequests).map(([key, question]) => [`${id}.${key}`, question]),
    )
    return Object.fromEntries(all)
  }

  add(id: number, entry: number, { inputRequests, requestState }: CallResult): void {
    this.#calls.set(id, {
      id,
      entry,
      inputRequests: isObject(inputRequests) ? inputRequests : {},
      ...(requestState !== undefined && { requestState }),
    })
  }

  /** Takes answers, by the keys of `inputRequests`. */
  answer(responses: unknown): void {
    this.#responses = isObject(responses) ? responses : {}
  }

  /** Returns how a call goes on: `waits` if an answer is missing, undefined if it asked nothing. */
  continue(id: number): Continuation | 'waits' | undefined {
    const call = this.#calls.get(id)
    if (!call) return undefined
    const inputResponses: JsonObject = {}
    for (const key of Object.keys(call.inputRequests)) {
      const answer = this.#responses[`${id}.${key}`]
      if (!isObject(answer)) return 'waits'
      inputResponses[key] = answer
    }
    this.#calls.delete(id)
    const { entry, requestState } = call
    const state = requestState === undefined ? {} : { requestState }
    return { entry, params: { inputResponses, ...state } }
  }
}
