import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { startThread } from '../../base/flow/start-thread.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { createSlots } from '../../gateway/state/slots.ts'
import type { Excerpt } from './excerpt.ts'
import { NARROW } from './excerpt.ts'

export interface SelectRequest {
  readonly data: string
  readonly expression: string
  readonly excerpt?: Excerpt | undefined
}

export type SelectReply =
  | { readonly found: string }
  | { readonly refused: string; readonly hint: string | undefined }

/** The time limit of the expression, plus time to start the thread and to parse the data. */
const ANSWER_WITHIN_MS = 20_000

/** One agent has one of them at most, so its slow expressions do not delay those of others. */
const THREADS = { total: 2, perAgent: 1 }
const slots = createSlots()
const idle: Worker[] = []

/**
 * Runs JMESPath over JSON text in a worker thread, so that no expression delays other agents. The
 * thread also makes the excerpt, so that little is copied back when an expression finds a lot.
 * Expressions of one agent run one at a time, and a thread that does not answer is replaced.
 */
export async function selectInText(
  agent: string,
  request: SelectRequest,
  /** Ends the wait for a thread. */
  signal: Signal = new Canceller(),
): Promise<string> {
  await slots.enter(agent, signal, THREADS)
  try {
    const reply = await ask(request)
    if ('found' in reply) return reply.found
    throw new GatewayError('INVALID_PARAMS', reply.refused, { hint: reply.hint })
  } finally {
    slots.leave(agent)
  }
}

async function ask(request: SelectRequest): Promise<SelectReply> {
  const worker = idle.pop() ?? start()
  // The thread keeps the process alive only while a caller waits.
  worker.ref()
  try {
    const answered = once(worker, 'message', { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    worker.postMessage(request, [])
    const [reply]: SelectReply[] = await answered
    if (reply === undefined) throw new Error('the thread answered nothing')
    idle.push(worker)
    return reply
  } catch (cause) {
    void worker.terminate()
    const message = 'select cannot be used: it takes too much time or memory'
    throw new GatewayError('INVALID_PARAMS', message, { hint: NARROW, cause })
  } finally {
    worker.unref()
  }
}

function start(): Worker {
  const started = startThread('shaping/handles/select-worker')
  // A waiting caller sees the error too; an idle thread is not used again.
  started.on('error', () => {
    const at = idle.indexOf(started)
    if (at !== -1) idle.splice(at, 1)
  })
  return started
}
