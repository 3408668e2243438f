import { randomUUID } from 'node:crypto'
import type { CallRelay, Continuation, Continued, ReplyChannel } from '../../fronts/call-relay.ts'
import { FAILURES } from '../../gateway/errors.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { fromFailure, toFailure } from '../../protocol/peer.ts'
import { fromText, toText } from '../../protocol/raw-text.ts'
import { Canceller } from '../../base/flow/signal.ts'
import type { RedisBus } from './redis-bus.ts'

interface PendingReply {
  readonly notify: ReplyChannel['notify']
  resolve(result: JsonObject): void
  reject(error: unknown): void
}

const ALIVE_MS = 1000

/** Forwards requests between replicas; each replica listens on its own channel. */
export function createRedisRelay({
  bus,
  replica,
}: {
  readonly bus: Pick<RedisBus, 'publish' | 'subscribe'>
  readonly replica: string
}): CallRelay {
  const waiting = new Map<string, PendingReply>()
  const serving = new Map<string, Canceller>()
  const handlers = new Map<unknown, Parameters<CallRelay['serve']>[1]>()

  async function take({ from, ask, what, state, owner, responses }: JsonObject): Promise<void> {
    const [sender, id] = [channelOf(String(from)), String(ask)]
    const canceller = new Canceller()
    serving.set(id, canceller)
    const notify: ReplyChannel['notify'] = (method, params) =>
      void bus.publish(sender, { kind: 'news', ask: id, method, params })
    const asked = {
      state: String(state),
      owner: String(owner),
      responses: isObject(responses) ? responses : {},
    }
    try {
      const handler = handlers.get(what)
      if (!handler) throw isLeaving()
      const result = await handler(asked, { signal: canceller, notify })
      await bus.publish(sender, { kind: 'answer', ask: id, text: toText(result) })
    } catch (error) {
      await bus.publish(sender, { kind: 'answer', ask: id, failure: toFailure(error) })
    } finally {
      serving.delete(id)
    }
  }

  /** Tells a replica that waits for an answer which was sent, but did not arrive. */
  function check({ from, ask }: JsonObject): void {
    if (typeof ask !== 'string' || serving.has(ask)) return
    void bus.publish(channelOf(String(from)), { kind: 'answer', ask, failure: toFailure(isLost()) })
  }

  function receive(message: JsonObject): void {
    const { kind, ask, method, params, text, failure } = message
    if (kind === 'continue') return void take(message)
    if (kind === 'alive') return check(message)
    if (kind === 'cancel') return serving.get(String(ask))?.abort(new Error('The client left'))
    const waits = waiting.get(String(ask))
    if (kind === 'news' && isObject(params)) return waits?.notify(String(method), params)
    if (isObject(failure)) return waits?.reject(fromFailure(failure))
    waits?.resolve(fromText(String(text)) ?? {})
  }

  bus.subscribe(channelOf(replica), receive)

  return {
    replica,
    serve(what, handler) {
      handlers.set(what, handler)
      return () => void handlers.delete(what)
    },
    async forward(
      holder: string,
      what: Continued,
      continuation: Continuation,
      { signal, notify }: ReplyChannel,
    ) {
      if (signal.aborted) throw signal.reason
      const ask = randomUUID()
      const channel = channelOf(holder)
      const leave = () => {
        void bus.publish(channel, { kind: 'cancel', ask })
        waiting.get(ask)?.reject(signal.reason)
      }
      const alive = setInterval(() => {
        void bus.publish(channel, { kind: 'alive', ask }).then((heard) => {
          if (heard === 0) waiting.get(ask)?.reject(isGone())
          return undefined
        })
      }, ALIVE_MS)
      try {
        return await new Promise<JsonObject>((resolve, reject) => {
          waiting.set(ask, { notify, resolve, reject })
          signal.addEventListener('abort', leave, { once: true })
          void bus
            .publish(channel, { kind: 'continue', ask, what, ...continuation })
            .then((heard) => {
              if (heard === 0) reject(isGone())
              return undefined
            })
        })
      } finally {
        clearInterval(alive)
        signal.removeEventListener('abort', leave)
        waiting.delete(ask)
      }
    },
  }
}

function channelOf(replica: string): string {
  return `replica:${replica}`
}

function isGone(): RpcError {
  return unavailable(
    'The replica that held this call is gone, and the call with it: call again without requestState',
  )
}

/** A replica that shuts down has cancelled its calls before it stops to listen. */
function isLeaving(): RpcError {
  return unavailable(
    'The replica that held this call is shutting down, and has cancelled it: call again without requestState',
  )
}

function isLost(): RpcError {
  return unavailable(
    'The call has ended at another replica, but its answer was lost with the connection to Redis: look whether it took effect before you call again, without requestState',
  )
}

function unavailable(message: string): RpcError {
  return new RpcError(FAILURES.SERVER_UNAVAILABLE.rpc, message, {
    code: 'SERVER_UNAVAILABLE',
    retryable: true,
  })
}
