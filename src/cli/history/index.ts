import type { Command } from '@commander-js/extra-typings'
import { toVersion } from '../shared/terminal/option-values.ts'

/** `portolan history`: what was changed in the configuration, by whom and why. */
export function registerHistory(program: Command): void {
  program
    .command('history')
    .description('show the changes of servers, rules, settings, secrets and trust, newest first')
    .argument('[version]', 'show only this version, with the lines that it changed', toVersion)
    .option('-l, --limit <count>', 'how many', toVersion, 20)
    .option('--json', 'print them as JSON, with the changed lines')
    .action(async (version, flags) => {
      const { showHistory } = await import('./run-history.ts')
      await showHistory({ ...flags, version, shared: isShared() })
    })
}

/** `portolan rollback`: the configuration as of a version, as the next version. */
export function registerRollback(program: Command): void {
  program
    .command('rollback')
    .description('restore the configuration as of a version; that is a version too')
    .argument('<version>', '1 is the content before the first change', toVersion)
    .option('-m, --message <text>', 'why')
    .option('--json', 'print the new version as JSON')
    .action(async (version, flags) => {
      const { rollBack } = await import('./run-history.ts')
      await rollBack(version, { ...flags, shared: isShared() })
    })
}

/** Whether the configuration in use is the one in the database. */
function isShared(): boolean {
  return Boolean(process.env['PORTOLAN_CONFIG_SOURCE'])
}
