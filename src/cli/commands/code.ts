import type { Command } from 'commander'
import { registerGraph } from './code/register-graph.ts'
import { registerIndexing } from './code/register-indexing.ts'
import { registerInit } from './code/register-init.ts'
import { registerSearching } from './code/register-searching.ts'
import { registerServing } from './code/register-serving.ts'
import { registerMcp } from './mcp.ts'

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
    const { logCommand } = await import('./code/log-command.ts')
    await logCommand(command, startedMs)
  })
  registerIndexing(code)
  registerSearching(code)
  registerGraph(code)
  registerServing(code)
  registerInit(code)
  registerMcp(code, 'code')
}
