import type { Command } from 'commander'
import { registerGraph } from './graph/index.ts'
import { registerIndexing } from './indexing/index.ts'
import { registerInit } from './init/index.ts'
import { registerSearching } from './search/index.ts'
import { registerServing } from './dashboard.ts'
import { registerMcp } from '../shared/serve/mcp-command.ts'

/** `portolan code …`: the tools of the code server for people, scripts and sub-agents. */
export function registerCode(program: Command): void {
  const code = program
    .command('code')
    .description('search and index code: the tools of the built-in code server')
  let startedMs = 0
  code.hook('preAction', () => {
    startedMs = performance.now()
  })
  code.hook('postAction', async (_, command) => {
    const { logCommand } = await import('./log-command.ts')
    await logCommand(command, startedMs)
  })
  registerIndexing(code)
  registerSearching(code)
  registerGraph(code)
  registerServing(code)
  registerInit(code)
  registerMcp(code, 'code')
}
