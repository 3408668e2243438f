import type { Command } from '@commander-js/extra-typings'
import { Option } from '../shared/commander.ts'
import { EFFECTS } from '../../gateway/tools/effect.ts'
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
      const replayed = await replayRules(load, toRange(flags))
      if (flags.json) printJson(render.toReplayJson(replayed))
      else render.renderReplay(replayed, createTerminal())
      if (flags.fail && replayed.replay.differences('deny').length > 0) process.exitCode = 1
    })
  withRangeOptions(rules.command('suggest'))
    .description('print rules that allow what agents used, and nothing else')
    .option('--config <path>', 'settings file, instead of the portolan.yaml that is found')
    .addOption(
      new Option(
        '--ask <effects...>',
        'also ask a person about used tools with these effects, except about what was usual',
      ).choices(EFFECTS),
    )
    .action(async (flags) => {
      const [{ suggestRules }, { renderQuestions }, { createTerminal }] = await Promise.all([
        import('./run-rules.ts'),
        import('./render-replay.ts'),
        import('../shared/terminal/terminal.ts'),
      ])
      const load = { flags: { settings: flags.config } }
      const { rules: suggested, questions } = await suggestRules(load, toRange(flags), flags.ask)
      printJson(suggested)
      renderQuestions(questions, [], createTerminal(process.stderr))
    })
}
