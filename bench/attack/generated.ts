import * as fc from 'fast-check'
import { MAX_BLOCKED_MS } from './frozen-loop.ts'
import { blockedBy, hostileRequests, openTarget } from './hostile-input.ts'
import type { Attack } from './report.ts'

const REQUESTS = 300
const SEED = 20_261_115

/** Generated requests to every tool and method: none may block the event loop for too long. */
export const generated: Attack = {
  name: 'generated requests to every tool and method',
  async run(field) {
    const { rig, tools } = await openTarget()
    let worst = { ms: 0, request: '' }
    for (const request of fc.sample(hostileRequests(tools), { numRuns: REQUESTS, seed: SEED }))
      await field.try(
        `${request.method} ${JSON.stringify(request.params).slice(0, 60)}`,
        async () => {
          const ms = await blockedBy(rig, request)
          const shown = JSON.stringify(request).slice(0, 160)
          if (ms > worst.ms) worst = { ms, request: shown }
          if (ms > MAX_BLOCKED_MS) throw new Error(`${Math.round(ms)} ms: ${shown}`)
          return true
        },
      )
    console.log(`  longest: ${Math.round(worst.ms)} ms for ${worst.request}`)
    await rig.discard()
  },
}
