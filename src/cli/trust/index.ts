import type { Command } from '@commander-js/extra-typings'

/** Registers `portolan trust`, which lets the configuration files of a folder take effect. */
export function registerTrust(program: Command): void {
  program
    .command('trust')
    .description('let the .mcp.json, rules, settings and API packs of a folder take effect')
    .argument('[folder]', 'the folder that holds them', '.')
    .option('--folder <folder>', 'trust also what you save in this folder from now on: it is yours')
    .option('--list', 'list what is trusted, and whether it has changed since')
    .option('--revoke', 'stop trusting the files in and below the folder')
    .option('--json', 'print the outcome as JSON on stdout')
    .action(async (folder, flags) => {
      const { listTrust, revoke, trustFolder } = await import('./run-trust.ts')
      if (flags.list) await listTrust(flags)
      else if (flags.revoke) await revoke(flags.folder ?? folder, flags)
      else
        await trustFolder(flags.folder ?? folder, { ...flags, isOwn: flags.folder !== undefined })
    })
}
