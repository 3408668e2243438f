import { z } from 'zod'
import type { RunCall, RunReport } from '../../gateway/script-run.ts'
import type { Paint } from '../shared/terminal/paint.ts'
import { count, number } from '../shared/terminal/terminal.ts'

const runCall = z.object({
  id: z.string(),
  tool: z.string(),
  outcome: z.enum(['running', 'ok', 'failed', 'planned', 'asks']),
  after_ms: z.number(),
  duration_ms: z.number().optional(),
  tokens: z.number().optional(),
  get calls() {
    return z.array(runCall).optional()
  },
})

const runReport = z.object({
  id: z.string(),
  duration_ms: z.number(),
  tokens: z.number(),
  calls: z.array(runCall),
})

/** Returns the report of a run that a gateway sent; undefined if it has another form. */
export function readReport(value: unknown): RunReport | undefined {
  const parsed = runReport.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** The most calls to list. */
const MAX_CALLS = 200

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

/** Renders a run and its calls, in the order in which they were made. */
export function renderRun({ duration_ms, tokens, calls }: RunReport, paint: Paint): string {
  const rows = branches(calls)
  const width = Math.max(0, ...rows.map(({ lead, call }) => lead.length + call.tool.length))
  const more = rows.length - MAX_CALLS
  const spent = `about ${count(tokens, 'token')} stayed in the gateway`
  return [
    `${count(rows.length, 'call')} in ${time(duration_ms)}, ${spent}`,
    ...rows
      .slice(0, MAX_CALLS)
      .map(
        ({ lead, call }) => `${paint('dim', lead)}${describe(call, width - lead.length, paint)}`,
      ),
    ...(more > 0 ? [`… ${count(more, 'more call')}`] : []),
  ].join('\n')
}

interface Row {
  /** The tree lines in front of it. */
  readonly lead: string
  readonly call: RunCall
}

function branches(calls: readonly RunCall[], indent = ''): Row[] {
  return calls.flatMap((call, place) => {
    const isLast = place === calls.length - 1
    return [
      { lead: `${indent}${isLast ? '└─ ' : '├─ '}`, call },
      ...branches(call.calls ?? [], `${indent}${isLast ? '   ' : '│  '}`),
    ]
  })
}

function describe(
  { tool, outcome, duration_ms: ms, tokens }: RunCall,
  width: number,
  paint: Paint,
): string {
  const took = ms === undefined ? '' : time(ms)
  const cost = tokens === undefined ? '' : `${number(tokens)} tokens`
  const cells = [tool.padEnd(width), took.padStart(8), paint(STYLES[outcome], WORDS[outcome]), cost]
  return cells.join('  ').trimEnd()
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
