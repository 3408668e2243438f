import type { Command } from '@commander-js/extra-typings'
import { type BuiltinName } from '../../../builtins/index.ts'
import { findBuiltin } from '../../../builtins/find-builtin.ts'
import { chooseTransport, toPort } from './choose-transport.ts'
import { serveBuiltin } from './serve-builtin.ts'
import { noteOnListening, takeOver } from './take-over.ts'

/** Registers `portolan <built-in> mcp`, which serves a built-in as a separate MCP server. */
export function registerMcp(parent: Command, name: BuiltinName): void {
  const { standalone: contract = {} } = findBuiltin(name)
  parent
    .command('mcp')
    .description('serve its tools to an MCP client directly, without the gateway')
    .option('-t, --transport <name>', 'stdio, http, sse or ws (MCP_TRANSPORT)')
    .option('-p, --port <port>', `port for HTTP (${contract.port ?? 'MCP_PORT'})`, toPort)
    .option('--host <address>', 'address to bind (MCP_HOST)')
    .option('--path <path>', 'path of the endpoint (MCP_PATH)')
    .option('--project-from-cwd', 'work in the folder this was started in')
    .option('--debug', 'log more')
    .action(async (flags) => {
      const place = { cwd: process.cwd(), env: process.env }
      const { env: given, notes } = await takeOver(contract.replaces, place)
      const { env, ...defaults } = (await contract.defaults?.(given)) ?? { env: given }
      const transport = chooseTransport(flags, env)
      await serveBuiltin(name, {
        ...defaults,
        transport,
        debug: flags.debug,
        notes: [...notes, ...noteOnListening(contract.replaces, transport)],
        env: { ...given, ...(flags.projectFromCwd && { PORTOLAN_PROJECT: place.cwd }) },
      })
    })
}

/** Returns `portolan <built-in> …` for a built-in without commands in this folder. */
export async function builtinCommand(name: BuiltinName): Promise<(program: Command) => void> {
  const { description, commands } = findBuiltin(name)
  const register = await commands?.()
  return (program) => {
    const command = program.command(name).description(description)
    register?.(command)
    registerMcp(command, name)
  }
}
