import type { Command } from '@commander-js/extra-typings'
import { Argument, Option } from '../shared/commander.ts'
import { CLIENT_IDS } from '../clients/client.ts'

/** Registers `portolan connect <client>`, which adds Portolan to a client's own configuration. */
export function registerConnect(program: Command): void {
  program
    .command('connect')
    .description('write the configuration of an MCP client, so that it uses Portolan')
    .addArgument(
      new Argument('[client]', 'the client; without one, lists which are connected').choices(
        CLIENT_IDS,
      ),
    )
    .option('--url [url]', 'reach a running gateway over HTTP, instead of starting one on stdio')
    .option('--key-env [name]', 'variable that holds the key of the agent (PORTOLAN_KEY)')
    .option('--toolset <name>', 'show the client the tools of this toolset, and no others')
    .option('--project', 'only for the current folder')
    .addOption(new Option('--hooks', 'Claude Code: also install the hooks of traces'))
    .option('--undo', 'restore the file to what it was before')
    .option('--print', 'show what would be written, and change nothing')
    .option('--json', 'print what was done as JSON on stdout')
    .action(async (id, flags) => {
      const { connectCommand, listClients, mustNameClient } = await import('./connect-command.ts')
      if (id !== undefined) return connectCommand(id, flags)
      mustNameClient(flags)
      listClients(flags)
    })
}
