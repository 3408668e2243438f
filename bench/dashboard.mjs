/**
 * What the dashboard costs a call, whether or not anybody looks: the readers of the call event with the
 * dashboard's observer among them against those without it, interleaved in one process. Also how long a
 * search over an audit file of 100,000 entries takes. `npm run bench:dashboard -- <µs>` relates the
 * first to the CPU of a whole call (bench:gateway, CPU µs/call).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Observer } from '../build/dashboard/observer.js'
import { toAuditEntry } from '../build/telemetry/audit-entry.js'
import { createFeed } from '../build/telemetry/feed.js'
import { createFileAuditSearch } from '../build/telemetry/file-audit-search.js'
import { createLedger } from '../build/telemetry/ledger.js'
import { createMetrics } from '../build/telemetry/metrics.js'

const CALLS = 200_000
const ROUNDS = 12
const wholeCallUs = Number(process.argv[2] ?? 120)

function aLedger(observed) {
  const feed = createFeed()
  if (observed) new Observer().follow(feed)
  return createLedger({ metrics: createMetrics(), feed })
}

function anEvent(n, startedAt) {
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

function cpuUs(ledger) {
  const start = Date.now()
  const begun = process.cpuUsage()
  // Ten thousand calls a second: more than one process serves.
  for (let n = 0; n < CALLS; n += 1) ledger.record(anEvent(n, start + n / 10))
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / CALLS
}

const [bare, observed] = [aLedger(false), aLedger(true)]
cpuUs(bare)
cpuUs(observed)
const extra = []
for (let round = 0; round < ROUNDS; round += 1) extra.push(-cpuUs(bare) + cpuUs(observed))
const observerUs = extra.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]

const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
const path = join(folder, 'audit.jsonl')
const lines = Array.from({ length: 100_000 }, (_, n) => toAuditEntry(anEvent(n, 1e12 + n * 1_000)))
writeFileSync(path, lines.join(''))
const search = createFileAuditSearch({ path, keep: 1 })
async function ms(query) {
  const begun = performance.now()
  await search.search({ limit: 100, ...query })
  return Math.round((performance.now() - begun) * 10) / 10
}
await ms({})
const newestMs = await ms({})
const nowhereMs = await ms({ text: 'is in no entry' })
rmSync(folder, { recursive: true })

const rounded = Math.round(observerUs * 100) / 100
console.log(`counting a call for the dashboard: ${rounded} µs of CPU`)
console.log(
  `audit, 100,000 entries: newest page ${newestMs} ms, a text that is nowhere ${nowhereMs} ms`,
)
const result = {
  observerUs: rounded,
  shareOfCallPct: Math.round((rounded / wholeCallUs) * 1000) / 10,
  auditNewestMs: newestMs,
  auditNowhereMs: nowhereMs,
}
console.log(`RESULT ${JSON.stringify(result)}`)
