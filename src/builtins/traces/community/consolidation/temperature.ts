import type { Temperature } from '../../service/rules/rank-score.ts'

const DAY_MS = 86_400_000

export interface Usage {
  readonly trustScore: number
  readonly retrievalCount: number
  readonly lastRetrievedAt: number | null
  readonly createdAt: number
  /** How long a distrusted trace must be left alone before it freezes. */
  readonly staleAgeDays: number
}

/** Classifies a trace by how often and how recently it was used, its age and its trust. */
export function temperatureOf(usage: Usage, now: number): Temperature {
  const age = days(now - usage.createdAt)
  const idle = usage.lastRetrievedAt === null ? Infinity : days(now - usage.lastRetrievedAt)
  if (usage.trustScore < -1 && idle >= usage.staleAgeDays) return 'FROZEN'
  if (usage.trustScore < 0) return 'COLD'
  if (usage.lastRetrievedAt === null) return youth(age)
  if (idle > 90) return 'COLD'
  if (usage.retrievalCount / Math.max(1, age) > 0.1 || idle <= 7) return 'HOT'
  return idle <= 30 ? 'WARM' : 'COOL'
}

function youth(age: number): Temperature {
  if (age > 90) return 'COLD'
  return age <= 30 ? 'WARM' : 'COOL'
}

function days(ms: number): number {
  return ms / DAY_MS
}
