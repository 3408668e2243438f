import type { Command } from '@commander-js/extra-typings'
import { toRange, withRangeOptions } from '../shared/audit/range-options.ts'
import { toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** Registers `portolan stats`, which shows what was called and what was saved. */
export function registerStats(program: Command): void {
  withRangeOptions(withConfigOptions(program.command('stats')))
    .description('show what agents called, and what discovery, budgets and the cache saved')
    .option('--url <url>', 'use the counts of a running gateway since its start (PORTOLAN_KEY)')
    .option('--explain', 'explain how each figure is calculated')
    .option('--json', 'print the figures as JSON on stdout')
    .action(async (flags) => {
      const [render, { createTerminal }] = await Promise.all([
        import('./render-stats.ts'),
        import('../shared/terminal/terminal.ts'),
      ])
      if (flags.explain) {
        const { EXPLANATION } = await import('./savings.ts')
        process.stdout.write(EXPLANATION)
      } else if (flags.url !== undefined) {
        const { askGateway } = await import('./running-gateway.ts')
        const summary = await askGateway(flags.url, process.env['PORTOLAN_KEY'])
        if (flags.json) printJson(summary)
        else render.renderRunning(summary, createTerminal())
      } else {
        const { runStats } = await import('./run-stats.ts')
        const stats = await runStats(toLoadOptions(flags), toRange(flags))
        if (flags.json) printJson(render.toStatsJson(stats))
        else render.renderStats(stats, createTerminal())
      }
    })
}
