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
  code.hook('preAction', (_, command) => {
    startedMs = performance.now()
    // Whoever reads our answer may stop early, as `head` does.
    if (!SERVERS.has(command.name())) process.stdout.on('error', endQuietly)
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

/** They have their own way to end, and their own log. */
const SERVERS = new Set(['mcp', 'dashboard'])

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
