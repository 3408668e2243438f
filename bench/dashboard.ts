/**
 * Measures what the dashboard costs a call even while nobody uses it: the readers of the call event
 * with the dashboard's observer and without it, alternating in one process. Also times a search in
 * an audit file of 100,000 entries, and the pages of a gateway with a million of them and 500 agents
 * (`dashboard/pages.ts`). `npm run bench -- dashboard <µs>` relates the first to the CPU
 * time of a whole call (bench:gateway, CPU µs/call).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Observer } from '../src/dashboard/observer.ts'
import type { CallEvent } from '../src/gateway/call.ts'
import type { Ledger } from '../src/gateway/layers/audit.ts'
import { toAuditEntry } from '../src/telemetry/audit/audit-entry.ts'
import type { AuditQuery } from '../src/telemetry/audit/audit-search.ts'
import { createFeed } from '../src/telemetry/feed.ts'
import { createFileAuditSearch } from '../src/telemetry/audit/file-audit-search.ts'
import { createLedger } from '../src/telemetry/ledger.ts'
import { createMetrics } from '../src/telemetry/metrics/metrics.ts'
import { measurePages } from './dashboard/pages.ts'
import { median, round } from './support/numbers.ts'

const CALLS = 200_000
const ROUNDS = 12
const wholeCallUs = Number(process.argv[2] ?? 120)

function aLedger(observed: boolean): Ledger {
  const feed = createFeed()
  if (observed) new Observer().follow(feed)
  return createLedger({ metrics: createMetrics(), feed })
}

function anEvent(n: number, startedAt: number): CallEvent {
  return {
    id: `c${n}`,
    startedAt,
    operation: 'tools/call',
    agent: `agent-${n % 5}`,
    server: `server-${n % 8}`,
    tool: 'echo',
    decision: 'ALLOW',
    outcome: 'ok',
    isError: false,
    durationMs: 1 + (n % 50) / 10,
    ...(n % 4 === 0 && { cache: n % 8 === 0 ? 'hit' : 'miss', tokenCount: 120 }),
  }
}

function cpuUs(ledger: Ledger): number {
  const start = Date.now()
  const begun = process.cpuUsage()
  // Ten thousand calls a second: more than one process can serve.
  for (let n = 0; n < CALLS; n += 1) ledger.record(anEvent(n, start + n / 10))
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

const [bare, observed] = [aLedger(false), aLedger(true)]
cpuUs(bare)
cpuUs(observed)
const extra: number[] = []
for (let n = 0; n < ROUNDS; n += 1) extra.push(-cpuUs(bare) + cpuUs(observed))
const observerUs = round(median(extra))

const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
const path = join(folder, 'audit.jsonl')
const lines = Array.from({ length: 100_000 }, (_, n) => toAuditEntry(anEvent(n, 1e12 + n * 1_000)))
writeFileSync(path, lines.join(''))
const search = createFileAuditSearch({ path, keep: 1 })
async function ms(query: Omit<AuditQuery, 'limit'>): Promise<number> {
  const begun = performance.now()
  await search.search({ limit: 100, ...query })
  return round(performance.now() - begun, 1)
}
await ms({})
const newestMs = await ms({})
const nowhereMs = await ms({ text: 'is in no entry' })
rmSync(folder, { recursive: true })

console.log(`counting a call for the dashboard: ${observerUs} µs of CPU`)
console.log(
  `audit, 100,000 entries: newest page ${newestMs} ms, a text that is nowhere ${nowhereMs} ms`,
)
const pages = await measurePages()
const result = {
  ...pages,
  observerUs,
  shareOfCallPct: round((observerUs / wholeCallUs) * 100, 1),
  auditNewestMs: newestMs,
  auditNowhereMs: nowhereMs,
}
console.log(`RESULT ${JSON.stringify(result)}`)
