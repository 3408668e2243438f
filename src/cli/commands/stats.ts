import { type Command, InvalidArgumentError } from 'commander'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../config-options.ts'
import { parseDuration } from '../duration.ts'
import { printJson } from '../print-json.ts'

interface StatsFlags extends ConfigOptions {
  readonly since?: number
  readonly until?: number
  readonly url?: string
  readonly explain?: true
  readonly json?: true
}

const WEEK_MS = 7 * 86_400_000

/** `portolan stats`: what was called, and what was saved. */
export function registerStats(program: Command): void {
  withConfigOptions(program.command('stats'))
    .description('what agents called, and what discovery, budgets and the cache saved')
    .option('--since <when>', 'a duration back (default: 7d) or a date', toPast)
    .option('--until <when>', 'a duration back (1d) or a date', toPast)
    .option('--url <url>', 'ask a running gateway for its counts since its start (PORTOLAN_KEY)')
    .option('--explain', 'say how each figure is made')
    .option('--json', 'print the figures as JSON on stdout')
    .action(async (flags: StatsFlags) => {
      const [render, { createTerminal }] = await Promise.all([
        import('../stats/render-stats.ts'),
        import('../terminal.ts'),
      ])
      if (flags.explain) {
        const { EXPLANATION } = await import('../stats/savings.ts')
        process.stdout.write(EXPLANATION)
      } else if (flags.url !== undefined) {
        const { askGateway } = await import('../stats/running-gateway.ts')
        const summary = await askGateway(flags.url, process.env['PORTOLAN_KEY'])
        if (flags.json) printJson(summary)
        else render.renderRunning(summary, createTerminal())
      } else {
        const { runStats } = await import('../stats/run-stats.ts')
        const range = { from: flags.since ?? Date.now() - WEEK_MS, to: flags.until ?? Infinity }
        const stats = await runStats(toLoadOptions(flags), range)
        if (flags.json) printJson(render.toStatsJson(stats))
        else render.renderStats(stats, createTerminal())
      }
    })
}

function toPast(text: string): number {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(date)) return date
  try {
    return Date.now() - parseDuration(text)
  } catch (cause) {
    const error = new InvalidArgumentError(
      'Expected a duration such as 7d, or a date such as 2027-01-31.',
    )
    error.cause = cause
    throw error
  }
}
