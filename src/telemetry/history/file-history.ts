import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/flow/start-thread.ts'
import type { Prices } from './prices.ts'
import type { SpanName } from './spans.ts'
import type { Usage, UsageHistory } from './usage.ts'

export interface FileHistoryOptions {
  readonly path: string
  /** How many rotated files may exist beside it. */
  readonly keep: number
  readonly prices: () => Prices
  /** Writes the waiting entries, so that the newest calls are counted. */
  readonly flush: () => Promise<void>
}

/** The data that the thread is started with. */
export interface HistoryData {
  readonly path: string
  readonly keep: number
  readonly prices: Prices
}

export interface HistoryRequest {
  readonly id: number
  readonly span: SpanName
}

export type HistoryReply = { readonly id: number } & (
  | { readonly usage: Usage; readonly error?: undefined }
  | { readonly error: string }
)

/** Nobody has looked for this long: the thread ends, and counts again when somebody does. */
const IDLE_MS = 30 * 60_000

interface Question {
  readonly resolve: (usage: Usage) => void
  readonly reject: (error: Error) => void
}

interface Thread {
  readonly worker: Worker
  readonly prices: string
  readonly waiting: Map<number, Question>
}

/**
 * Counts the audit files in a thread, which starts with the first question and then reads only what
 * is new. The files hold the calls of every process of the data folder.
 */
export function createFileHistory(options: FileHistoryOptions): UsageHistory {
  const { path, keep } = options
  let thread: Thread | undefined
  let idle: NodeJS.Timeout | undefined
  let last = 0

  function running(): Thread {
    const prices = options.prices()
    const key = JSON.stringify(prices)
    if (thread?.prices === key) return thread
    end(new Error('prices have changed'))
    const data: HistoryData = { path, keep, prices }
    const worker = startThread('telemetry/history/history-worker', { workerData: data })
    const mine: Thread = { worker, prices: key, waiting: new Map() }
    worker.unref()
    worker.on('message', (reply: HistoryReply) => {
      const asked = mine.waiting.get(reply.id)
      mine.waiting.delete(reply.id)
      if (reply.error === undefined) asked?.resolve(reply.usage)
      else asked?.reject(new Error(reply.error))
    })
    worker.on('error', (error) => {
      if (thread === mine) end(error)
    })
    thread = mine
    return mine
  }

  function end(reason: Error): void {
    clearTimeout(idle)
    for (const { reject } of thread?.waiting.values() ?? []) reject(reason)
    void thread?.worker.terminate()
    thread = undefined
  }

  return {
    async read(span) {
      await options.flush()
      clearTimeout(idle)
      idle = setTimeout(() => end(new Error('idle')), IDLE_MS).unref()
      const { worker, waiting } = running()
      const id = (last += 1)
      const request: HistoryRequest = { id, span }
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage(request, [])
      })
    },
    async close() {
      end(new Error('The gateway is closing'))
    },
  }
}
