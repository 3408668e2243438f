import type { Command } from 'commander'
import { printJson } from '../shared/print-json.ts'

interface InitFlags {
  readonly yes?: true
  readonly import: boolean
  readonly json?: true
}

/** `portolan init`: creates the three configuration files. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .description('create .mcp.json, .mcp-gateway-rules.json and portolan.yaml in this folder')
    .option('-y, --yes', 'accept the suggested answers; overwrites nothing')
    .option('--no-import', 'do not import the servers of other clients')
    .option('--json', 'print what was done as JSON on stdout')
    .action(async (flags: InitFlags) => {
      const [
        { offerClients, runInit },
        { renderInit, renderNext },
        { reportDenied },
        { createTerminal },
        machines,
      ] = await Promise.all([
        import('./run-init.ts'),
        import('./render-init.ts'),
        import('./denied-tools.ts'),
        import('../shared/terminal.ts'),
        import('../shared/clients/machine.ts'),
      ])
      const machine = machines.thisMachine()
      const terminal = createTerminal()
      const yes = flags.yes ?? false
      const options = { machine, terminal, yes, import: flags.import }
      const report = await runInit(options)
      if (flags.json) return printJson(report)
      renderInit(report, terminal)
      await reportDenied(machine, terminal)
      await offerClients(options)
      renderNext(machine, terminal)
    })
}
