import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { blockedBy, hostileRequests, openTarget } from '../../bench/attack/hostile-input.ts'

/** Ten times what `npm run attack` allows: here it is the order of magnitude that counts. */
const MAX_BLOCKED_MS = 2_500

it('no request to any tool or method freezes the gateway', { timeout: 240_000 }, async () => {
  const { rig, tools } = await openTarget()
  try {
    expect(tools.length).toBeGreaterThan(40)
    await fc.assert(
      fc.asyncProperty(hostileRequests(tools), async (request) => {
        expect(await blockedBy(rig, request)).toBeLessThan(MAX_BLOCKED_MS)
        expect(await rig.isAlive(60_000)).toBe(true)
      }),
      { numRuns: 40, endOnFailure: true, interruptAfterTimeLimit: 120_000 },
    )
  } finally {
    await rig.discard()
  }
})
