import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/flow/start-thread.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Excerpt } from './excerpt.ts'
import { NARROW } from './narrow.ts'

export interface SelectRequest {
  readonly data: string
  readonly expression: string
  readonly excerpt: Excerpt
}

export type SelectReply =
  | { readonly found: string }
  | { readonly refused: string; readonly hint: string | undefined }

/** The time limit of the expression, plus time to start the thread and to parse the data. */
const ANSWER_WITHIN_MS = 20_000

let thread: Worker | undefined
let queue: Promise<unknown> = Promise.resolve()

/**
 * Runs JMESPath over JSON text in a worker thread, so that no expression delays other agents. The
 * thread also makes the excerpt, so that little is copied back when an expression finds a lot.
 * Expressions run one at a time, and a thread that does not answer is replaced.
 */
export async function selectInText(
  data: string,
  expression: string,
  excerpt: Excerpt = {},
): Promise<string> {
  const turn = queue.then(async () => ask({ data, expression, excerpt }))
  queue = turn.catch(() => undefined)
  const reply = await turn
  if ('found' in reply) return reply.found
  throw new GatewayError('INVALID_PARAMS', reply.refused, { hint: reply.hint })
}

async function ask(request: SelectRequest): Promise<SelectReply> {
  const worker = (thread ??= start())
  // The thread keeps the process alive only while a caller waits.
  worker.ref()
  try {
    const answered = once(worker, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    worker.postMessage(request, [])
    const [reply]: SelectReply[] = await answered
    if (reply !== undefined) return reply
    throw new Error('the thread answered nothing')
  } catch (cause) {
    thread = undefined
    void worker.terminate()
    const message = 'select cannot be used: it takes too much time or memory'
    throw new GatewayError('INVALID_PARAMS', message, { hint: NARROW, cause })
  } finally {
    worker.unref()
  }
}

function start(): Worker {
  const started = startThread('shaping/handles/select-worker')
  // A waiting caller sees the error too; otherwise the next call starts another thread.
  started.on('error', () => {
    if (thread === started) thread = undefined
  })
  return started
}
