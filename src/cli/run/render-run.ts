import { z } from 'zod'
import type { RunReport } from '../../gateway/script-run.ts'
import type { Paint } from '../shared/paint.ts'
import { count, number } from '../shared/terminal.ts'

const runCall = z.object({
  id: z.string(),
  tool: z.string(),
  outcome: z.enum(['running', 'ok', 'failed', 'planned', 'asks']),
  after_ms: z.number(),
  duration_ms: z.number().optional(),
  tokens: z.number().optional(),
})

const runReport = z.object({
  id: z.string(),
  duration_ms: z.number(),
  tokens: z.number(),
  calls: z.array(runCall),
})

type Call = z.infer<typeof runCall>

/** What a gateway told of a run; undefined where it told nothing that we know. */
export function readReport(value: unknown): RunReport | undefined {
  const parsed = runReport.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** Beyond this the list says less than its end does. */
const MOST_CALLS = 200

const STYLES = {
  ok: 'green',
  failed: 'red',
  planned: 'yellow',
  running: 'yellow',
  asks: 'yellow',
} as const
const WORDS = {
  ok: 'ok',
  failed: 'failed',
  planned: 'planned, not sent',
  running: 'not answered',
  asks: 'asks a question',
}

/** The calls of a run in the order in which they were made, under the run itself. */
export function renderRun({ duration_ms, tokens, calls }: RunReport, paint: Paint): string {
  const shown = calls.slice(0, MOST_CALLS)
  const width = Math.max(0, ...shown.map(({ tool }) => tool.length))
  const more = calls.length - shown.length
  const rows = [
    ...shown.map((call) => describe(call, width, paint)),
    ...(more > 0 ? [`… ${count(more, 'more call')}`] : []),
  ]
  const spent = `about ${count(tokens, 'token')} stayed in the gateway`
  return [
    `${count(calls.length, 'call')} in ${time(duration_ms)}, ${spent}`,
    ...rows.map((row, i) => `${paint('dim', i === rows.length - 1 ? '└─' : '├─')} ${row}`),
  ].join('\n')
}

function describe({ tool, outcome, duration_ms: ms, tokens }: Call, width: number, paint: Paint) {
  const took = ms === undefined ? '' : time(ms)
  const cost = tokens === undefined ? '' : `${number(tokens)} tokens`
  const cells = [tool.padEnd(width), took.padStart(8), paint(STYLES[outcome], WORDS[outcome]), cost]
  return cells.join('  ').trimEnd()
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
