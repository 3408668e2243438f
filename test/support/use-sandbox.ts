import { afterAll } from 'vitest'
import type { Limits } from '../../src/sandbox/limits.ts'
import { SandboxPool } from '../../src/sandbox/pool.ts'

const MIB = 1024 * 1024
export const SANDBOX_LIMITS: Limits = {
  heapBytes: 16 * MIB,
  wallBytes: 32 * MIB,
  threadMs: 2000,
  wallMs: 60_000,
  calls: 200,
  parallel: 16,
  sourceChars: 64 * 1024,
  argumentChars: 1000,
  answerChars: 10_000,
  resultChars: 5000,
  logChars: 200,
  threads: 1,
  imageBytes: 64 * MIB,
}

/** Makes pools of one thread with small limits, which are closed at the end of the file. */
export function useSandbox(usual: Partial<Limits> = {}) {
  const pools: SandboxPool[] = []
  afterAll(async () => {
    await Promise.all(pools.map(async (pool) => pool.close()))
  })
  return (limits: Partial<Limits> = {}): SandboxPool => {
    const pool = new SandboxPool({ ...SANDBOX_LIMITS, ...usual, ...limits })
    pools.push(pool)
    return pool
  }
}
