import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings'
import type { LogCategory, LogEntry } from '../../builtins/code/log/code-log.ts'

const CATEGORIES: Readonly<Record<string, LogCategory>> = {
  index: 'index',
  clear: 'index',
  list: 'index',
  stats: 'index',
  deps: 'deps',
  config: 'system',
  init: 'system',
}

/** Logs a command that ran to `PORTOLAN_CODE_LOG_FILE`, if that is set. */
export async function logCommand(command: Command, startedMs: number): Promise<void> {
  const { codeLog, toLine } = await import('../../builtins/code/log/code-log.ts')
  const log = codeLog(process.env)
  if (!log) return
  const { createRotatingFile } = await import('../../telemetry/audit/rotating-file.ts')
  const file = createRotatingFile(log)
  const entry: LogEntry = {
    ts: new Date().toISOString(),
    level: process.exitCode ? 'error' : 'info',
    cat: categoryOf(command),
    msg: [command.name(), ...command.args].join(' '),
    fields: { duration_ms: Math.round(performance.now() - startedMs), pid: process.pid },
  }
  await file.append(toLine(entry))
  await file.close()
}

/** Uses the command name directly below `code`: `deps show` counts as `deps`. */
function categoryOf(command: Command): LogCategory {
  const { parent } = command
  const name = parent && parent.name() !== 'code' ? parent.name() : command.name()
  return CATEGORIES[name] ?? 'search'
}
