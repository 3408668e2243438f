import { createTerminal } from '../../shared/terminal/terminal.ts'
import { openCodeSession } from '../session/code-session.ts'
import { runTool } from '../run-tool.ts'
import { wrongUsage } from '../wrong-usage.ts'

export interface ClearFlags {
  readonly all?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

/** Deletes indexes. Asks first on a terminal; without a terminal, `--all` needs `--force`. */
export async function runClear(names: readonly string[], flags: ClearFlags): Promise<boolean> {
  const doomed = flags.all ? await everyIndex() : names
  if (doomed.length === 0) {
    if (!flags.all) throw wrongUsage('Name the indexes to delete, or give --all')
    process.stderr.write('There are no indexes.\n')
    return true
  }
  if (!flags.force && !(await isMeant(doomed, flags.all ?? false))) return false
  const [name] = doomed
  const what = doomed.length === 1 ? { index_name: name } : { index_names: [...doomed] }
  return runTool('clear_index', what, { json: flags.json ?? false })
}

async function everyIndex(): Promise<string[]> {
  const session = await openCodeSession()
  try {
    const all = await session.call('list_indexes', {})
    return Array.isArray(all) ? all.map(({ name }: { name: string }) => name) : []
  } finally {
    await session.close()
  }
}

async function isMeant(names: readonly string[], isAll: boolean): Promise<boolean> {
  if (!process.stdin.isTTY) {
    if (isAll) throw wrongUsage('--all deletes every index: add --force if you mean it')
    return true
  }
  return createTerminal().confirm(`Delete ${names.join(', ')}?`, false)
}
