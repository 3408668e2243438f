import { type Command, InvalidArgumentError } from 'commander'
import type { BuiltinServer } from '../../config/servers.ts'
import { codeMcpDefaults } from './code/mcp-defaults.ts'
import { type TransportFlags, chooseTransport, withoutTransport } from '../choose-transport.ts'

/** `portolan code|knowledge|traces mcp`: a built-in as an MCP server of its own. */
export function registerMcp(parent: Command, builtin: BuiltinServer['builtin']): void {
  parent
    .command('mcp')
    .description('serve its tools to an MCP client, without the gateway around them')
    .option('-t, --transport <name>', 'stdio, http, sse or ws (MCP_TRANSPORT)')
    .option(
      '-p, --port <port>',
      'port for HTTP (MCP_PORT; code also COCOSEARCH_MCP_PORT, else 3000)',
      toPort,
    )
    .option('--host <address>', 'address to bind (MCP_HOST)')
    .option('--path <path>', 'path of the endpoint (MCP_PATH)')
    .option('--project-from-cwd', 'work in the folder this was started in')
    .option('--debug', 'log more')
    .action(async (flags: TransportFlags & { debug?: true; projectFromCwd?: true }) => {
      const defaults =
        builtin === 'code' ? codeMcpDefaults(process.env) : { env: process.env, idleMs: undefined }
      const transport = chooseTransport(flags, defaults.env)
      const [{ openBuiltin }, { loadSettings }, { serveStandalone }, { untilStopped }] =
        await Promise.all([
          import('../../app/open-builtin.ts'),
          import('../../config/load.ts'),
          import('../../app/serve-standalone.ts'),
          import('../until-stopped.ts'),
        ])
      const env = {
        ...withoutTransport(process.env),
        ...(flags.projectFromCwd && { COCOSEARCH_PROJECT_PATH: process.cwd() }),
      }
      const { home } = loadSettings({ env })
      let address: string | undefined
      const service = await openBuiltin(builtin, { home, env, dashboardUrl: () => address })
      await serveStandalone(service, {
        transport,
        builtin,
        env,
        debug: flags.debug,
        idleMs: defaults.idleMs,
        onListening(url) {
          address = `${url}/`
          process.stderr.write(`portolan listening on ${url}\n`)
        },
        untilStopped: async () => untilStopped(async () => undefined),
      })
      process.exit(0)
    })
}

function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}
