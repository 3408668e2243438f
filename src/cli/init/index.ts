import type { Command } from '@commander-js/extra-typings'
import { printJson } from '../shared/terminal/print-json.ts'

/** `portolan init`: creates the three configuration files. */
export function registerInit(program: Command): void {
  program
    .command('init')
    .description('create .mcp.json, .mcp-gateway-rules.json and portolan.yaml in this folder')
    .option('-y, --yes', 'accept the suggested answers; overwrites nothing')
    .option('--no-adopt', 'leave the servers of your clients where they are')
    .option('--json', 'print what was done as JSON on stdout')
    .action(async (flags) => {
      const [
        { runInit, renderInit, renderNext },
        { reportDenied },
        { createTerminal },
        machines,
        adopting,
      ] = await Promise.all([
        import('./run-init.ts'),
        import('./denied-tools.ts'),
        import('../shared/terminal/terminal.ts'),
        import('../clients/machine.ts'),
        import('../adopt/offer-adopt.ts'),
      ])
      const machine = machines.thisMachine()
      const terminal = createTerminal()
      const yes = flags.yes ?? false
      const report = await runInit({ machine, terminal, yes })
      if (!flags.json) renderInit(report, terminal)
      const adopted = flags.adopt
        ? await adopting.offerAdopt({
            machine,
            terminal: flags.json ? undefined : terminal,
            ask: !yes,
            count: true,
            timeoutMs: 20_000,
            dryRun: false,
            quiet: true,
          })
        : undefined
      if (!flags.json) {
        await reportDenied(machine, terminal)
        return renderNext(machine, terminal)
      }
      const { toAdoptJson } = await import('../adopt/render-adopt.ts')
      printJson({ ...report, adopted: adopted ? toAdoptJson(adopted) : null })
    })
}
