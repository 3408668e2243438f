import type { Sent } from './otlp-post.ts'

export interface OtlpQueueOptions {
  readonly maxQueue: number
  readonly maxBatch: number
  readonly delayMs: number
  readonly send: (batch: readonly string[]) => Promise<Sent>
  readonly onTrouble: (error: string) => void
}

export interface OtlpQueue {
  add(encoded: string): void
  readonly dropped: number
  /** Sends the waiting items without retries; those that cannot be sent are lost. */
  close(): Promise<void>
}

const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 30_000
/** Limit for the retry time that a collector asks for, as timers cannot wait for any length. */
const MAX_ASKED_MS = 60 * 60 * 1000

/** A bounded queue in memory: calls never wait for it, and items that do not fit are counted. */
export function createOtlpQueue(options: OtlpQueueOptions): OtlpQueue {
  const { maxQueue, maxBatch, delayMs, send, onTrouble } = options
  let waiting: string[] = []
  let dropped = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function arm(ms: number): void {
    if (timer === undefined && sending === undefined) timer = setTimeout(start, ms).unref()
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    sending ??= flush().finally(() => {
      sending = undefined
      if (waiting.length > 0)
        arm(failures > 0 ? backoff() : waiting.length >= maxBatch ? 0 : delayMs)
    })
  }

  let askedMs: number | undefined
  function backoff(): number {
    return askedMs === undefined
      ? Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), MAX_WAIT_MS)
      : Math.min(askedMs, MAX_ASKED_MS)
  }

  async function flush(): Promise<void> {
    const batch = waiting.slice(0, maxBatch)
    if (batch.length === 0) return
    const sent = await send(batch)
    if (sent.kind === 'later') {
      failures += 1
      askedMs = sent.afterMs
      return onTrouble(sent.error)
    }
    failures = 0
    waiting = waiting.slice(batch.length)
    if (sent.kind === 'sent') return
    dropped += batch.length
    onTrouble(sent.error)
  }

  return {
    add(encoded) {
      if (waiting.length >= maxQueue) {
        dropped += 1
        return
      }
      waiting.push(encoded)
      if (waiting.length >= maxBatch && failures === 0) start()
      else arm(delayMs)
    },
    get dropped() {
      return dropped
    },
    async close() {
      clearTimeout(timer)
      await sending
      for (let before = -1; waiting.length > 0 && waiting.length !== before;) {
        before = waiting.length
        await flush()
      }
      dropped += waiting.length
      waiting = []
      clearTimeout(timer)
    },
  }
}
