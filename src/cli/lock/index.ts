import type { Command } from '@commander-js/extra-typings'
import { withConfigOptions } from '../shared/config-options.ts'
import { durationOption } from '../shared/terminal/option-values.ts'

/** `portolan lock`: which definitions of servers are used, as a file to be committed. */
export function registerLock(program: Command): void {
  withConfigOptions(program.command('lock'))
    .description('list the servers of .mcp.json, and write what they offer to mcp.lock beside it')
    .argument('[servers...]', 'only these; all of the file when none is given')
    .option('--check', 'write nothing; exit with 1 and show the differences if there are any')
    .option('--json', 'print the result as JSON on stdout')
    .addOption(durationOption('--timeout <duration>', 'how long a server may take', '60s'))
    .action(async (servers, flags) => (await import('./run-lock.ts')).runLock(servers, flags))
}
