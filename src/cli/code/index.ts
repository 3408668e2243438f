import type { Command } from '@commander-js/extra-typings'
import { registerGraph } from './graph/index.ts'
import { registerIndexing } from './indexing/index.ts'
import { registerInit } from './init/index.ts'
import { registerSearching } from './search/index.ts'
import { registerMcp } from '../shared/serve/mcp-command.ts'
import { toPort } from '../shared/serve/choose-transport.ts'

/** `portolan code …`: the tools of the code server for people, scripts and sub-agents. */
export function registerCode(program: Command): void {
  const code = program
    .command('code')
    .description('search and index code: the tools of the built-in code server')
  registerIndexing(code)
  registerSearching(code)
  registerGraph(code)
  registerServing(code)
  registerInit(code)
  registerMcp(code, 'code')
}

/** `portolan code dashboard`: the pages and the MCP endpoint of code search. */
function registerServing(code: Command): void {
  code
    .command('dashboard')
    .alias('serve')
    .description('serve the pages of code search, and /mcp')
    .option('-p, --port <port>', 'port to listen on', toPort, 8080)
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option(
      '--projects-dir <folder>',
      'folder of projects that may be indexed (PORTOLAN_CODE_PROJECTS_DIR)',
    )
    .option('--open', 'open it in the browser')
    .action(async ({ port, host, projectsDir, open }) => {
      const [{ serveBuiltin }, { openBrowser }] = await Promise.all([
        import('../shared/serve/serve-builtin.ts'),
        import('../../base/open-browser.ts'),
      ])
      await serveBuiltin('code', {
        transport: { kind: 'streamable-http', host, port, path: '/mcp' },
        env: { ...process.env, ...(projectsDir && { PORTOLAN_CODE_PROJECTS_DIR: projectsDir }) },
        onListening(url) {
          process.stderr.write(`portolan listening on ${url}\nDashboard: ${url}/code\n`)
          if (open) void openBrowser(`${url}/code`)
        },
      })
    })
}
