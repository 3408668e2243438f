import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '../../../base/json/json.ts'
import { type CodeSession, openCodeSession } from '../session/code-session.ts'
import { drawingOn } from '../../shared/terminal/guard-terminal.ts'
import { createPaint } from '../../shared/terminal/paint.ts'
import { renderNote, renderValue } from '../render.ts'
import { wrongUsage } from '../wrong-usage.ts'
import { printJson } from '../../shared/terminal/print-json.ts'

export interface StatsFlags {
  readonly all?: boolean
  readonly showFailures?: boolean
  readonly stalenessThreshold?: string
  readonly live?: boolean
  readonly watch?: boolean
  readonly refreshInterval?: string
  readonly json?: boolean
}

const CLEAR_SCREEN = '\u001B[2J\u001B[H'

/** Prints what an index holds, once or repeatedly until ^C; returns false if it does not exist. */
export async function runStats(index: string | undefined, flags: StatsFlags): Promise<boolean> {
  const everyMs = 1_000 * positive('--refresh-interval', flags.refreshInterval ?? '1')
  const session = await openCodeSession()
  try {
    if (!flags.live && !flags.watch) return await show(session, index, flags)
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    process.once('SIGTERM', () => stop.abort())
    for (;;) {
      if (process.stderr.isTTY) drawingOn(process.stderr).write(CLEAR_SCREEN)
      const isOk = await show(session, index, flags)
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined)
      if (!isOk || stop.signal.aborted) return isOk
    }
  } finally {
    await session.close()
  }
}

async function show(
  session: CodeSession,
  index: string | undefined,
  flags: StatsFlags,
): Promise<boolean> {
  const answer = await session.call('index_stats', {
    index_name: flags.all ? null : (index ?? null),
    include_failures: flags.showFailures ?? false,
  })
  const failure = isObject(answer) && 'error' in answer ? answer : undefined
  const stats = withThreshold(answer, flags.stalenessThreshold)
  if (flags.json) printJson(stats)
  else if (failure) process.stderr.write(`${renderNote(failure, createPaint(process.stderr))}\n`)
  else process.stdout.write(`${renderValue(stats, createPaint())}\n`)
  return failure === undefined
}

/** Sets `is_stale` by the threshold the user gave, in days. */
function withThreshold(answer: unknown, days: string | undefined): unknown {
  if (days === undefined) return answer
  const threshold = positive('--staleness-threshold', days)
  const judged = (item: unknown): unknown =>
    isObject(item) && 'staleness_days' in item
      ? { ...item, is_stale: Number(item['staleness_days']) >= threshold }
      : item
  return Array.isArray(answer) ? answer.map(judged) : judged(answer)
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (value > 0) return value
  throw wrongUsage(`${flag} must be a number above 0, not '${text}'`)
}
