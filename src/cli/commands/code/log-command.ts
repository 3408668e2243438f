import type { Command } from 'commander'
import { projectOfUser } from './project-of-user.ts'

const CATEGORIES: Readonly<Record<string, 'index' | 'deps' | 'system'>> = {
  index: 'index',
  clear: 'index',
  list: 'index',
  stats: 'index',
  deps: 'deps',
  config: 'system',
  init: 'system',
}

/** Writes a line for a command that ran, where `logging.file` or `COCOSEARCH_LOG_FILE` asks for it. */
export async function logCommand(command: Command, startedMs: number): Promise<void> {
  const { openCodeLogFile } = await import('../../../app/open-code-log-file.ts')
  const file = await openCodeLogFile(process.env, projectOfUser().path)
  if (!file) return
  const isOk = (process.exitCode ?? 0) === 0
  file.write({
    ts: new Date().toISOString(),
    level: isOk ? 'info' : 'error',
    cat: categoryOf(command),
    msg: [command.name(), ...command.args].join(' '),
    fields: { duration_ms: Math.round(performance.now() - startedMs), pid: process.pid },
  })
  await file.close()
}

/** By the name below `code`: `deps show` is of `deps`. */
function categoryOf(command: Command): 'search' | 'index' | 'deps' | 'system' {
  const { parent } = command
  const name = parent && parent.name() !== 'code' ? parent.name() : command.name()
  return CATEGORIES[name] ?? 'search'
}
