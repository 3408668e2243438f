import type { Command } from 'commander'
import { registerGraph } from './code/register-graph.ts'
import { registerIndexing } from './code/register-indexing.ts'
import { registerSearching } from './code/register-searching.ts'
import { registerMcp } from './mcp.ts'

/** `portolan code …`: the tools of the code server for people, scripts and sub-agents. */
export function registerCode(program: Command): void {
  const code = program
    .command('code')
    .description('search and index code: the tools of the built-in code server')
  // Whoever reads our answer may stop early, as `head` does; a server has its own way to end.
  code.hook('preAction', (_, command) => {
    if (command.name() !== 'mcp') process.stdout.on('error', endQuietly)
  })
  registerIndexing(code)
  registerSearching(code)
  registerGraph(code)
  registerMcp(code, 'code')
}

function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
}
