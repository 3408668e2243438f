import type { Command } from 'commander'
import { toPort } from '../shared/serve/choose-transport.ts'

interface DashboardFlags {
  readonly port: number
  readonly host: string
  readonly projectsDir?: string
  readonly open?: true
}

/** `portolan code dashboard`: the pages, the HTTP API and the MCP endpoint of code search. */
export function registerServing(code: Command): void {
  code
    .command('dashboard')
    .alias('serve')
    .description('serve the pages and the HTTP API of code search, and /mcp beside them')
    .option('-p, --port <port>', 'port to listen on', toPort, 8080)
    .option('--host <address>', 'address to bind', '127.0.0.1')
    .option(
      '--projects-dir <folder>',
      'folder of projects that may be indexed (COCOSEARCH_PROJECTS_DIR)',
    )
    .option('--open', 'show it in the browser')
    .action(async ({ port, host, projectsDir, open }: DashboardFlags) => {
      const [{ serveBuiltin }, { openBrowser }] = await Promise.all([
        import('../shared/serve/serve-builtin.ts'),
        import('../../base/open-browser.ts'),
      ])
      await serveBuiltin('code', {
        transport: { kind: 'streamable-http', host, port, path: '/mcp' },
        env: { ...process.env, ...(projectsDir && { COCOSEARCH_PROJECTS_DIR: projectsDir }) },
        onListening(url) {
          process.stderr.write(`portolan listening on ${url}\nDashboard: ${url}/dashboard\n`)
          if (open) void openBrowser(`${url}/dashboard`)
        },
      })
    })
}
