import type { RequestId } from '../../protocol/json-rpc.ts'
import { encodeNotification } from '../../protocol/peer.ts'
import type { HttpWire } from './http-wire.ts'

const CANCEL_MS = 2000

/**
 * Requests that wait for the result of a task, in a session that another process may go on in. The
 * server tells them what the task asks: one that was left behind would be told what the next should hear.
 */
export class ResultRequests {
  readonly #wire: Pick<HttpWire, 'post'>
  readonly #waiting = new Set<RequestId>()

  constructor(wire: Pick<HttpWire, 'post'>) {
    this.#wire = wire
  }

  /** The id of a request, named after its task, so that the next process can cancel it. */
  begin(taskId: unknown, next: () => RequestId): RequestId {
    const first = firstId(taskId)
    const id = this.#waiting.has(first) ? next() : first
    this.#waiting.add(id)
    return id
  }

  /** The same in a session that was joined: the request of the process that was killed is cancelled. */
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
      (response) => response.resume(),
      () => undefined,
    )
  }
}

function firstId(taskId: unknown): string {
  return `tasks/result ${String(taskId)}`
}
