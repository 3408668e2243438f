// Measures what shaping saves and costs: `npm run bench -- context`.
import type { Allowance, ShapedResult } from '../src/gateway/layers/budgets.ts'
import { createHandles } from '../src/shaping/handles.ts'
import { createMemoryStore } from '../src/shaping/handles/result-store.ts'
import { viewOf } from '../src/shaping/result-view.ts'
import { createShaper } from '../src/shaping/shaper.ts'
import { textOf } from '../src/shaping/summarise/blocks.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { list } from '../src/upstreams/openapi/spec/read-values.ts'
import { round } from './support/numbers.ts'
import {
  type Payload,
  asPage,
  generatedLists,
  hostileTexts,
  identifiers,
  responseExamples,
} from './support/payloads.ts'
import { readSpec } from './support/real-tools.ts'

const BUDGET = 2000

const handles = createHandles(createMemoryStore({ ttlMs: 60_000, maxBytes: 1 << 28 }))
const shaper = createShaper({ keep: async (result, agent) => handles.keep(result, agent) })
const allowance: Allowance = {
  maxTokens: BUDGET,
  owner: 'bench',
  from: { server: 's', tool: 't' },
  arguments: {},
  outputSchema: undefined,
}

async function shape(text: string): Promise<ShapedResult> {
  return shaper.shape({ content: [{ type: 'text', text }] }, allowance)
}

const examples = responseExamples(readSpec())
const pages = examples.flatMap(({ name, value }) => {
  const page = asPage(value)
  return page !== undefined ? [{ name, value: page }] : []
})
const lists = [...pages, ...generatedLists()]

const saved = await reduction(lists)
const speed = await throughput(lists)
const slow = await slowest()
console.log(
  `${examples.length} response examples, ${lists.length} lists, ${saved.count} of them over ${BUDGET} tokens`,
)
console.log(`tokens before ${saved.before}, after ${saved.after}`)
console.log(
  'RESULT ' +
    JSON.stringify({
      reductionPct: round(saved.reductionPct, 1),
      idsKeptPct: round(saved.idsKeptPct, 1),
      mbPerSecond: round(speed.perSecond, 1),
      worstMs: Math.round(slow.ms),
      // The same in processor time, which other programs on the machine do not change.
      mbPerCpuSecond: round(speed.perCpuSecond, 1),
      worstCpuMs: Math.round(slow.cpuMs),
      meanReductionPct: round(saved.meanReductionPct, 1),
      lists: saved.count,
      overBudget: saved.overBudget,
    }),
)

/** Compares with compact JSON: white space of indented JSON would improve the figure. */
async function reduction(all: readonly Payload[]) {
  const totals = { before: 0, after: 0, share: 0, ids: 0, kept: 0, count: 0, overBudget: 0 }
  for (const { value } of all) {
    const text = JSON.stringify(value)
    const before = countTokens(text)
    if (before <= BUDGET) continue
    const shaped = textIn(await shape(text))
    const after = countTokens(shaped)
    JSON.parse(shaped)
    if (after > BUDGET) totals.overBudget++
    const ids = identifiers(value)
    totals.ids += ids.length
    totals.kept += ids.filter((id) => shaped.includes(JSON.stringify(id))).length
    totals.before += before
    totals.after += after
    totals.share += 1 - after / before
    totals.count++
  }
  return {
    ...totals,
    reductionPct: 100 * (1 - totals.after / totals.before),
    meanReductionPct: (100 * totals.share) / totals.count,
    idsKeptPct: (100 * totals.kept) / totals.ids,
  }
}

/** Times large results: parsing, shaping and counting together. */
async function throughput(all: readonly Payload[]) {
  const everything = all.flatMap(({ value }) => list(value))
  const megabytes = [1, 5, 20].map((size) => {
    const rows: unknown[] = []
    for (let length = 0; length < size * 1e6;) {
      const row = everything[rows.length % everything.length]
      rows.push(row)
      length += JSON.stringify(row).length + 1
    }
    return JSON.stringify(rows)
  })
  await shape(megabytes[0] ?? '')
  let size = 0
  const total = { ms: 0, cpuMs: 0 }
  for (const text of megabytes) {
    const took = await timed(async () => shape(text))
    console.log(`${(text.length / 1e6).toFixed(1)} MB in ${took.ms.toFixed(0)} ms`)
    size += text.length / 1e6
    total.ms += took.ms
    total.cpuMs += took.cpuMs
  }
  return { perSecond: (1000 * size) / total.ms, perCpuSecond: (1000 * size) / total.cpuMs }
}

async function timed<T>(work: () => Promise<T>) {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(cpu)
  return { value, ms: performance.now() - started, cpuMs: (user + system) / 1000 }
}

async function slowest() {
  const worst = { ms: 0, cpuMs: 0 }
  for (const [name, text] of Object.entries(hostileTexts())) {
    const { value, ms, cpuMs } = await timed(async () => shape(text))
    if (value.tokenCount > BUDGET) throw new Error(`${name} takes ${value.tokenCount} tokens`)
    console.log(`${ms.toFixed(0).padStart(6)} ms  ${name}`)
    worst.ms = Math.max(worst.ms, ms)
    worst.cpuMs = Math.max(worst.cpuMs, cpuMs)
  }
  return worst
}

function textIn({ result }: ShapedResult): string {
  const [block] = viewOf(result).blocks
  return textOf(block) ?? ''
}
