import type { Command } from '@commander-js/extra-typings'
import { toRange, withRangeOptions } from '../shared/audit/range-options.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** Registers `portolan rules`, which tests rules against recorded calls. */
export function registerRules(program: Command): void {
  const rules = program.command('rules').description('try rules on recorded calls')
  withRangeOptions(rules.command('replay'))
    .description('apply a rules file to recorded calls, and show what would change')
    .argument('[file]', 'the rules to try; by default those in force')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
    .option('--fail', 'exit with 1 if a call that was allowed would be denied')
    .option('--json', 'print the differences as JSON on stdout')
    .action(async (file, flags) => {
      const [{ replayRules }, render, { createTerminal }] = await Promise.all([
        import('./run-rules.ts'),
        import('./render-replay.ts'),
        import('../shared/terminal/terminal.ts'),
      ])
      const load = { flags: { rules: file, settings: flags.config } }
      const { replay, path } = await replayRules(load, toRange(flags))
      if (flags.json) printJson(render.toReplayJson(replay, path))
      else render.renderReplay(replay, path, createTerminal())
      if (flags.fail && replay.differences('deny').length > 0) process.exitCode = 1
    })
  withRangeOptions(rules.command('suggest'))
    .description('print rules that allow what agents used, and nothing else')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
    .action(async (flags) => {
      const { suggestRules } = await import('./run-rules.ts')
      printJson(await suggestRules({ flags: { settings: flags.config } }, toRange(flags)))
    })
}
