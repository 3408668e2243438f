import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { RPC } from '../protocol/json-rpc.ts'
import type { Arrival, Backend } from '../fronts/backend.ts'
import { Conversation } from '../fronts/conversation.ts'
import type { McpFrontOptions } from './mcp.ts'
import { HttpProblem, fail, toShutdownProblem } from './problem.ts'
import { Reply, openEventStream } from './reply.ts'
import { unread } from './unread.ts'

export interface SseFront {
  open(request: IncomingMessage, response: ServerResponse, arrival: Arrival): Promise<void>
  post(
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Arrival,
    id: string | null,
  ): Promise<void>
  readonly size: number
  readonly inFlight: number
  endSubscriptions(): void
}

interface SseSession {
  readonly conversation: Conversation
  /** How its GET arrived. */
  readonly arrival: Arrival
  readonly owner: string
  readonly response: ServerResponse
}

/** The transport of 2024: GET opens the stream, which names the address to post messages to. */
export function createSseFront(
  backend: Backend,
  postPath: string,
  { bodies, challenge }: Pick<McpFrontOptions, 'bodies' | 'challenge'>,
): SseFront {
  const open = new Map<string, SseSession>()
  return {
    async open(_request, response, arrival) {
      let owner: string
      try {
        if (backend.phase === 'refusing') throw toShutdownProblem()
        owner = (await backend.authenticate(arrival)).owner
      } catch (error) {
        return fail(new Reply(response, challenge?.(arrival.path ?? '')), null, error)
      }
      if (response.destroyed) return // The client has left.
      const id = randomUUID()
      const write = openEventStream(response)
      const conversation = new Conversation({ id, backend, arrival, send: write })
      open.set(id, { conversation, arrival, owner, response })
      response.once('close', () => {
        open.delete(id)
        conversation.close()
      })
      write(`${postPath}?sessionId=${id}`, 'endpoint')
    },
    async post(request, response, { credential }, id) {
      const session = open.get(id ?? '')
      // The client may have refreshed its token, which is valid at the path of the stream.
      const arrival = session && { ...session.arrival, credential }
      try {
        const identity = arrival && (await backend.authenticate(arrival))
        // The address alone does not identify the client: it may have been written into a log.
        if (!arrival || session.owner !== identity?.owner)
          throw new HttpProblem(404, RPC.invalidRequest, 'Session not found')
        const text = await bodies.read(request, response, credential !== undefined)
        // A client that does not read its stream may not ask for more.
        await unread.after(session.response.socket)
        session.conversation.arrive(arrival)
        session.conversation.receive(text)
        response.writeHead(202).end('Accepted')
      } catch (error) {
        fail(new Reply(response, challenge?.(arrival?.path ?? '')), null, error)
      }
    },
    get inFlight() {
      return [...open.values()].reduce((sum, { conversation }) => sum + conversation.inFlight, 0)
    },
    endSubscriptions() {
      for (const { conversation } of open.values()) conversation.endSubscriptions()
    },
    get size() {
      return open.size
    },
  }
}
