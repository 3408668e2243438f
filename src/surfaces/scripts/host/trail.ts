import type { PlannedCall } from '../../../gateway/approvals/approval.ts'
import type { RunCall } from '../../../gateway/script-run.ts'

/** One call that a script made. */
export interface TrailEntry {
  /** The id of its event, which has the id of the script's call as its parent. */
  readonly id: string
  readonly server: string
  readonly tool: string
  readonly startedAt: number
  outcome: RunCall['outcome']
  durationMs?: number
  /** About how many tokens its result would have cost. */
  tokens?: number
  /** The calls that a saved script made in turn. */
  calls?: readonly TrailEntry[]
}

/** A write that a plan did not send. */
export interface PlannedWrite {
  readonly tool: string
  readonly arguments: unknown
}

/** A trail as JSON. */
export interface TrailRecord {
  readonly entries: readonly TrailEntry[]
  readonly planned: readonly PlannedWrite[]
  readonly logs: readonly string[]
}

/** The calls of a script in the order in which they were made. */
export class Trail {
  readonly entries: TrailEntry[] = []
  readonly planned: PlannedWrite[] = []
  readonly logs: string[] = []
  /** Planned calls that need approval. */
  readonly needsApproval: PlannedCall[] = []

  /** Continues the trail of a script that was suspended. */
  constructor(record?: TrailRecord) {
    this.entries.push(...(record?.entries ?? []))
    this.planned.push(...(record?.planned ?? []))
    this.logs.push(...(record?.logs ?? []))
  }

  toRecord(): TrailRecord {
    const { entries, planned, logs } = this
    return { entries, planned, logs }
  }

  get tokens(): number {
    return tokensOf(this.entries)
  }

  /** Adds the trail of a saved script that one of the calls ran. */
  adopt(entry: TrailEntry, { entries, planned, logs, needsApproval }: Trail): void {
    entry.calls = entries
    this.needsApproval.push(...needsApproval)
    this.planned.push(...planned)
    this.logs.push(...logs)
  }

  /** Summarises the calls: `notes.add ×3`, `mail.send (failed)`, in order of the first of each. */
  summary(): string[] {
    const counts = new Map<string, number>()
    for (const { server, tool, outcome } of this.entries) {
      const note = outcome === 'ok' ? '' : ` (${NOTES[outcome]})`
      const key = `${server}.${tool}${note}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return [...counts].map(([key, count]) =>
      count === 1 ? key : key.replace(/( \(|$)/, ` ×${count}$1`),
    )
  }

  /** Calls that were sent and have not been answered. */
  unfinished(): string[] {
    return this.entries
      .filter(({ outcome }) => outcome === 'running')
      .map(({ server, tool }) => `${server}.${tool}`)
  }
}

const NOTES = {
  running: 'sent, not answered',
  failed: 'failed',
  planned: 'planned, not sent',
  asks: 'asks a question',
}

/** Adds up the tokens of results; for a saved script, of its calls instead of its own result. */
function tokensOf(entries: readonly TrailEntry[]): number {
  return entries.reduce(
    (sum, { tokens = 0, calls = [] }) => sum + (calls.length > 0 ? tokensOf(calls) : tokens),
    0,
  )
}
