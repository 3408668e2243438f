import type { Command } from '@commander-js/extra-typings'
import type { Answer } from '../../gateway/approvals/approval.ts'
import { type ConfigOptions, withConfigOptions } from '../shared/config-options.ts'
import { numberBetween } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'

const MAX_MINUTES = 24 * 60

/** `portolan approvals …`: answers calls that a rule of `ask` lets a person decide about. */
export function registerApprovals(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('approve or deny calls that a rule wants a person to see first')
  withConfigOptions(approvals.command('list'))
    .description('list the calls that wait for approval')
    .option('--all', 'also those that were answered or have expired')
    .option('--json', 'print them as JSON')
    .action(async (options) => {
      const { toJson, summary, withApprovals } = await load()
      const all = await withApprovals(options, async ({ list }) => list())
      const shown = options.all ? all : all.filter(({ state }) => state === 'pending')
      if (options.json) return printJson(shown.map(toJson))
      for (const each of shown) process.stdout.write(`${summary(each)}\n`)
      if (shown.length === 0) process.stderr.write('No call waits for approval.\n')
    })
  withConfigOptions(approvals.command('show'))
    .description('show a call with all its arguments, and what was answered')
    .argument('<id>')
    .option('--json', 'print it as JSON')
    .action(async (id, options) => {
      const { details, toJson, withApprovals } = await load()
      const found = await withApprovals(options, async ({ find }) => find(id))
      if (options.json) return printJson(toJson(found))
      process.stdout.write(`${details(found)}\n`)
    })
  withConfigOptions(approvals.command('approve'))
    .description('approve a call: this one, once')
    .argument('<id>')
    .option('--session', 'the same tool for the rest of the session of its client')
    .option(
      '--minutes <number>',
      'these exact arguments, as often as wanted for so many minutes',
      numberBetween(1, MAX_MINUTES),
    )
    .option(
      '--always',
      'these exact arguments for ever: adds them to the rule, and prints what that changes',
    )
    .action(async (id, options) => {
      const { minutes } = options
      if (options.always) return answerAlways(id, options)
      const scope = options.session ? 'session' : minutes === undefined ? 'once' : 'arguments'
      await answer(id, { approve: true, scope, minutes }, options)
    })
  withConfigOptions(approvals.command('deny'))
    .description('deny a call')
    .argument('<id>')
    .option('--reason <text>', 'what the agent is told')
    .action(async (id, options) => {
      await answer(id, { approve: false, reason: options.reason }, options)
    })
  withConfigOptions(approvals.command('watch'))
    .description('print every call that comes to wait for approval, until Ctrl+C')
    .option('--json', 'print each as a line of JSON')
    .action(async (options) => {
      const { toJson, summary, watch } = await load()
      await watch(options, (each) => {
        process.stdout.write(`${options.json ? JSON.stringify(toJson(each)) : summary(each)}\n`)
      })
    })
}

async function answer(id: string, given: Answer, options: ConfigOptions): Promise<void> {
  const { summary, withApprovals } = await load()
  const answered = await withApprovals(options, async (approvals) => approvals.answer(id, given))
  process.stderr.write(`${summary(answered)}\n`)
}

async function answerAlways(id: string, options: ConfigOptions): Promise<void> {
  const { summary, withApprovals } = await load()
  await withApprovals(options, async ({ prepareAlways, answer: give }) => {
    const change = await prepareAlways(id)
    const answered = await give(id, { approve: true, scope: 'always', change })
    process.stdout.write(`${[change.path, ...change.diff].join('\n')}\n`)
    process.stderr.write(`${summary(answered)}\n`)
  })
}

async function load() {
  return import('./run-approvals.ts')
}
