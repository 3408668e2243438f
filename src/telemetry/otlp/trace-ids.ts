import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096
const pool = Buffer.allocUnsafe(POOL_BYTES)
let at = POOL_BYTES

/** Random ids, drawn from a pool: asking the system for each would cost microseconds. */
function randomHex(bytes: number): string {
  if (at + bytes > POOL_BYTES) {
    randomFillSync(pool)
    at = 0
  }
  at += bytes
  return pool.toString('hex', at - bytes, at)
}

export const newTraceId = (): string => randomHex(16)
export const newSpanId = (): string => randomHex(8)
