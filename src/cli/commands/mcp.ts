import type { Command } from 'commander'
import type { Environment } from '../../base/environment.ts'
import type { BuiltinServer } from '../../config/servers.ts'
import { codeMcpDefaults } from '../code/mcp-defaults.ts'
import { type TransportFlags, chooseTransport, toPort } from '../choose-transport.ts'
import { serveBuiltin } from '../serve-builtin.ts'

const PORT_OF_TRACES = '8080'

const asItIs = async (env: Environment): Promise<Environment> => env

/** What each contract says where the environment says nothing, and the names it has of its own. */
const CONTRACTS = {
  code: {
    port: 'MCP_PORT or COCOSEARCH_MCP_PORT, else 3000',
    defaults: codeMcpDefaults,
    withOwnNames: asItIs,
  },
  knowledge: {
    port: 'MCP_PORT',
    defaults: (env: Environment) => ({ env }),
    withOwnNames: asItIs,
  },
  traces: {
    port: `MCP_PORT, else ${PORT_OF_TRACES}`,
    defaults: (env: Environment) => ({ env: { MCP_PORT: PORT_OF_TRACES, ...env } }),
    withOwnNames: async (env: Environment) =>
      (await import('../traces/common-trace-names.ts')).withCommonTraceNames(env),
  },
}

/** `portolan code|knowledge|traces mcp`: a built-in as an MCP server of its own. */
export function registerMcp(parent: Command, builtin: BuiltinServer['builtin']): void {
  const contract = CONTRACTS[builtin]
  parent
    .command('mcp')
    .description('serve its tools to an MCP client, without the gateway around them')
    .option('-t, --transport <name>', 'stdio, http, sse or ws (MCP_TRANSPORT)')
    .option('-p, --port <port>', `port for HTTP (${contract.port})`, toPort)
    .option('--host <address>', 'address to bind (MCP_HOST)')
    .option('--path <path>', 'path of the endpoint (MCP_PATH)')
    .option('--project-from-cwd', 'work in the folder this was started in')
    .option('--debug', 'log more')
    .action(async (flags: TransportFlags & { debug?: true; projectFromCwd?: true }) => {
      const { env, ...defaults } = contract.defaults(process.env)
      await serveBuiltin(builtin, {
        ...defaults,
        transport: chooseTransport(flags, env),
        debug: flags.debug,
        env: {
          ...(await contract.withOwnNames(process.env)),
          ...(flags.projectFromCwd && { COCOSEARCH_PROJECT_PATH: process.cwd() }),
        },
      })
    })
}
