import { setTimeout as sleep } from 'node:timers/promises'
import { stat } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AuditFiles, type Position } from '../audit/export/audit-files.ts'
import { createPrices } from './prices.ts'
import type { HistoryData, HistoryReply, HistoryRequest } from './file-history.ts'
import { toEvent } from './to-event.ts'
import { rowsOf } from './usage-counts.ts'
import { UsageTally } from './usage-tally.ts'

// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { path, keep, prices }: HistoryData = workerData as HistoryData
/** A page does not wait longer than this for a record that is still being counted. */
const PATIENCE_MS = 150

const files = new AuditFiles(path, keep)
const priceOf = createPrices(prices)
const tally = new UsageTally()
let position: Position = { head: '', offset: 0 }
let bytes = 0
let counting = Promise.resolve()

parentPort?.on('message', (request: HistoryRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply, []))
})

async function answer({ id, span }: HistoryRequest): Promise<HistoryReply> {
  try {
    // What was written before the question may be after the end that a count has just found.
    const counted = counting.then(count)
    counting = counted.catch(() => undefined)
    const all = await Promise.race([counted.then(() => true), sleep(PATIENCE_MS, false)])
    return { id, usage: tally.read(span, Date.now(), all ? 1 : await share()) }
  } catch (error) {
    return { id, error: String(error) }
  }
}

/** Counts the lines since the last time, a piece at a time, so that questions come in between. */
async function count(): Promise<void> {
  for (;;) {
    const piece = await files.after(position)
    if (!piece) return
    const now = Date.now()
    for (const line of piece.lines) {
      bytes += line.length + 1
      const event = toEvent(line)
      if (event) tally.add(rowsOf(event, priceOf, now))
    }
    position = piece.next
  }
}

async function share(): Promise<number> {
  const paths = [path, ...Array.from({ length: keep }, (_, n) => `${path}.${n + 1}`)]
  const sizes = await Promise.all(
    paths.map(async (each) =>
      stat(each).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return Math.min(
    0.99,
    bytes /
      Math.max(
        1,
        sizes.reduce((sum, size) => sum + size, 0),
      ),
  )
}
