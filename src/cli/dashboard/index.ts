import type { Command } from '@commander-js/extra-typings'
import { withConfigOptions } from '../shared/config-options.ts'

/** Registers `portolan dashboard`, which opens the pages of the running gateway signed in. */
export function registerDashboard(program: Command): void {
  withConfigOptions(program.command('dashboard'))
    .description('open the dashboard of the running gateway, signed in')
    .option('--url <address>', 'address of the gateway, if it is not the one of the settings')
    .option('--no-browser', 'only print the link')
    .action(async (flags) => {
      const { openDashboard } = await import('./open-dashboard.ts')
      await openDashboard(flags)
    })
}
