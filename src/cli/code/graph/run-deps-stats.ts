import { isObject } from '../../../base/json/json.ts'
import { openCodeSession } from '../session/code-session.ts'
import { detectedIndex } from '../detected-index.ts'
import { createPaint } from '../../shared/terminal/paint.ts'
import { renderNote, renderValue } from '../render.ts'
import { printJson } from '../../shared/terminal/print-json.ts'

/** Prints the dependency statistics of an index; returns false if the index does not exist. */
export async function runDepsStats(flags: {
  readonly index?: string
  readonly json?: boolean
}): Promise<boolean> {
  const session = await openCodeSession()
  try {
    const name = flags.index ?? (await detectedIndex())
    const answer = await session.call('index_stats', { index_name: name })
    const stats = isObject(answer) ? answer['dep_stats'] : undefined
    if (!isObject(stats)) {
      const failure = isObject(answer) ? answer : { error: 'No such index', message: name }
      process.stderr.write(`${renderNote(failure, createPaint(process.stderr))}\n`)
      return false
    }
    if (flags.json) printJson(stats)
    else process.stdout.write(`${renderValue(stats, createPaint())}\n`)
    return true
  } finally {
    await session.close()
  }
}
