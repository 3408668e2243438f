import { setTimeout as sleep } from 'node:timers/promises'
import { textOf } from './clients/talk.ts'
import type { FleetClient } from './fleet-client.ts'

export interface Limit {
  readonly ratePerMinute: number
  readonly burst: number
  readonly clients: readonly FleetClient[]
  readonly forMs: number
}

/** Calls more often than allowed; compares the granted calls with the limit. */
export async function measureLimit({ ratePerMinute, burst, clients, forMs }: Limit) {
  let granted = 0
  let refused = 0
  const begunAt = performance.now()
  const work = async (client: FleetClient) => {
    while (performance.now() - begunAt < forMs) {
      const answer = await client.call('echo__echo', { text: 'x' })
      const text = answer.kind === 'result' ? textOf(answer.result) : answer.error
      if (text === 'x') granted += 1
      else if (text.includes('has used up its calls')) refused += 1
      else throw new Error(text)
      await sleep(10)
    }
  }
  await Promise.all(clients.map(work))
  const seconds = (performance.now() - begunAt) / 1000
  const allowed = burst + Math.floor((seconds * ratePerMinute) / 60)
  return { granted, refused, allowed, errorPct: (100 * (granted - allowed)) / allowed }
}
