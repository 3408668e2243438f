import type { RequestId } from '../../protocol/json-rpc.ts'
import { encodeNotification } from '../../protocol/peer.ts'
import type { HttpWire } from './http-wire.ts'

const CANCEL_MS = 2000

/**
 * Requests that wait for the result of a task, in a session that another process may continue. The
 * server sends them the task's questions, so one left behind would receive what the next should
 * get.
 */
export class ResultRequests {
  readonly #wire: Pick<HttpWire, 'post'>
  readonly #waiting = new Set<RequestId>()

  constructor(wire: Pick<HttpWire, 'post'>) {
    this.#wire = wire
  }

  /** Returns the id of a request, derived from its task so that the next process can cancel it. */
  begin(taskId: unknown, next: () => RequestId): RequestId {
    const first = firstId(taskId)
    const id = this.#waiting.has(first) ? next() : first
    this.#waiting.add(id)
    return id
  }

  /** Like `begin`, in a joined session: cancels the request of the process that was killed. */
  async beginAgain(taskId: unknown, next: () => RequestId): Promise<RequestId> {
    const id = next()
    this.#waiting.add(id)
    await this.#cancel(firstId(taskId))
    return id
  }

  end(id: RequestId): void {
    this.#waiting.delete(id)
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#waiting].map(async (id) => this.#cancel(id)))
  }

  async #cancel(requestId: RequestId): Promise<void> {
    const text = encodeNotification('notifications/cancelled', { requestId })
    const signal = AbortSignal.timeout(CANCEL_MS)
    await this.#wire.post(text, { era: 'legacy', signal }).then(
      (response) => response.discard(),
      () => undefined,
    )
  }
}

function firstId(taskId: unknown): string {
  return `tasks/result ${String(taskId)}`
}
