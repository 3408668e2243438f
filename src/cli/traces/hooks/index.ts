import type { CommandOptions } from 'commander'
import type { Command } from '@commander-js/extra-typings'
import { connectTraces, homeOf } from '../connect-traces.ts'

/** Registers the commands for the hooks of Claude Code. */
export function registerTraceHooks(group: Command, options: CommandOptions = {}): void {
  group
    // Only Claude Code calls it.
    .command('hook', { hidden: true })
    .argument('<event>', 'SessionStart, UserPromptSubmit, PreToolUse, PostToolUse… or Stop')
    .argument('[home]', 'the data folder, if it is not the usual one')
    .description('answer a hook of Claude Code on standard input; never fails')
    .action(answerHook)
  group
    .command('hooks', options)
    .argument('[setting]', 'such as auto_contribute')
    .argument('[value]', 'true, false, a number, or a JSON list')
    .description('show or change the settings of the hooks on this machine')
    .action(settings)
  group
    .command('pending', options)
    .description('list traces on this machine that are waiting to be shared')
    .option('--deliver', 'try to share them now')
    .action(pending)
}

/** Ends the process as soon as it has answered; anything still running is too late. */
async function answerHook(event: string, home: string | undefined): Promise<void> {
  const [{ runHook }, { shellCommand }] = await Promise.all([
    import('./run-hook.ts'),
    import('../../clients/launch.ts'),
  ])
  const output = await runHook({
    event,
    text: await readAll(),
    env: { ...process.env, ...(home !== undefined && { PORTOLAN_HOME: home }) },
    startedAt: performance.timeOrigin,
    command: shellCommand(process),
  })
  process.stdout.write(output === undefined ? '' : `${output}\n`, () => process.exit(0))
}

async function settings(setting?: string, value?: string): Promise<void> {
  const { loadHookConfig, saveHookSetting } = await import('./hook-config.ts')
  const config =
    setting === undefined || value === undefined
      ? await loadHookConfig(process.env)
      : await saveHookSetting(process.env, setting, value)
  const shown = Object.entries(config).filter(([name]) => setting === undefined || name === setting)
  for (const [name, each] of shown) print(`${name}: ${JSON.stringify(each)}`)
}

async function pending({ deliver }: { deliver?: true }): Promise<void> {
  const { Pending, deliveryText } = await import('./memory/pending.ts')
  const queue = new Pending(homeOf(process.env))
  if (!deliver) return print(`${(await queue.names()).length} waiting`)
  const connection = await connectTraces(process.env, { provision: true })
  try {
    const delivery = await queue.deliver(
      async (trace) => connection.request('POST', '/traces', trace),
      Number.POSITIVE_INFINITY,
    )
    print(deliveryText(delivery) || 'Nothing waits.')
    if (delivery.waiting + delivery.refused > 0) process.exitCode = 1
  } finally {
    await connection.close()
  }
}

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += String(chunk)
  return text
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
