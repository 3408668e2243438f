import { fromText } from '../../protocol/raw-text.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { FAILURES, GatewayError, type FailureCode } from '../../gateway/errors.ts'
import {
  NO_DIAGNOSTICS,
  type NotificationListener,
  type Upstream,
  type UpstreamContext,
} from '../../gateway/upstream.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { progressTo } from '../progress-to.ts'
import type { Player } from './player.ts'
import type { RecordedCall, RecordedEvent, RecordedFailure } from './tape.ts'

export interface ReplayedOptions {
  readonly name: string
  readonly description: string | undefined
  readonly player: Player
  /** The real server, for what was not recorded. */
  readonly real?: Upstream | undefined
}

/** A server whose listing and answers are those of a tape. */
export function createReplayed({ name, description, player, real }: ReplayedOptions): Upstream {
  const listeners = new Set<NotificationListener>()
  const lines = player.linesOf(name)
  const since = Date.now()
  const isEmpty = () => lines.listing.serverInfo === undefined && real !== undefined

  function say(events: readonly RecordedEvent[]): void {
    for (const { notify, listing } of events) {
      const methods = listing ? LIST_CHANGED : notify ? [notify.method] : []
      for (const method of methods)
        for (const listener of listeners) listener(method, notify?.params ?? {})
    }
  }

  /** Sends what came before the answer; an answer to a question decides which call it is. */
  async function perform(
    candidates: readonly RecordedCall[],
    params: JsonObject,
    { client, signal }: UpstreamContext,
  ): Promise<RecordedCall | undefined> {
    let [call, ...others] = candidates
    let questions = 0
    // Fronts expect nothing of a server before they have sent it the request.
    await new Promise(setImmediate)
    for (let at = 0; call && at < call.during.length; at++) {
      const event = call.during[at]
      if (!event) break
      if ('notify' in event) {
        if (event.notify !== PROGRESS) client.notify(event.notify, event.params)
        else progressTo(client, params)?.(event.params)
        continue
      }
      const answer = await client
        .request(event.ask, event.params, { signal })
        .catch((error: unknown) => ({ error: messageAndCode(error) }))
      const question = questions++
      if (player.isAnswered(call, question, answer)) continue
      call = others.find((other) => player.isAnswered(other, question, answer))
      others = others.filter((other) => other !== call)
    }
    return call
  }

  async function request(
    method: string,
    params: JsonObject,
    context: UpstreamContext,
  ): Promise<JsonObject> {
    const candidates = player.find(name, method, params, context.client)
    const [first] = candidates
    if (!first && real) return real.request(method, params, context)
    // Used before anything is waited for, so that another call at the same time gets the next one.
    if (first) lines.use(first)
    const call = await perform(candidates, params, context)
    if (first && call !== first) lines.release(first)
    if (!call) throw player.missed(name, method, params)
    lines.use(call)
    say(lines.play(call))
    if (call.error) throw toError(call.error)
    // A result of its own for each caller, as layers add to it.
    return fromText(stringifyExact(call.result)) ?? {}
  }

  return {
    name,
    kind: 'in-process',
    description: description ?? lines.description,
    status: { state: 'ready', era: 'modern', since },
    diagnostics: NO_DIAGNOSTICS,
    get listing() {
      return isEmpty() ? (real?.listing ?? lines.listing) : lines.listing
    },
    listingFor: (client) => lines.listingFor(client),
    list: async (how) => (isEmpty() && real ? real.list(how) : lines.listing),
    request,
    watch: async (uri, client) => real?.watch(uri, client) ?? (() => undefined),
    onNotification(listener) {
      listeners.add(listener)
      const unsubscribe = real?.onNotification(listener)
      return () => {
        listeners.delete(listener)
        unsubscribe?.()
      }
    },
    sessionChanged: (session, event) => real?.sessionChanged(session, event),
    close: async () => real?.close(),
  }
}

const PROGRESS = 'notifications/progress'
const LIST_CHANGED = ['tools', 'prompts', 'resources'].map(
  (list) => `notifications/${list}/list_changed`,
)

function messageAndCode(error: unknown): RecordedFailure {
  if (error instanceof RpcError) return error.toFailure()
  return { code: 'CANCELLED', message: String(error) }
}

function toError({ code, message, data, hint }: RecordedFailure): Error {
  if (typeof code === 'number') return new RpcError(code, message, data)
  return new GatewayError(isFailureCode(code) ? code : 'SERVER_UNAVAILABLE', message, { hint })
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}
