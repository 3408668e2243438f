import type { Command } from 'commander'
import { printJson } from '../../shared/terminal/print-json.ts'
import { connectTraces, homeOf } from '../connect-traces.ts'

interface Flags {
  readonly json?: true
}

/** Registers the commands of `portolan traces` for the hooks of Claude Code. */
export function registerTraceHooks(traces: Command): void {
  traces
    .command('hook')
    .argument('<event>', 'SessionStart, UserPromptSubmit, PreToolUse, PostToolUse… or Stop')
    .argument('[home]', 'the data folder, if it is not the usual one')
    .description('answer a hook of Claude Code on standard input; never fails')
    .action(answerHook)
  traces
    .command('hooks')
    .argument('[setting]', 'such as auto_contribute')
    .argument('[value]', 'true, false, a number, or a JSON list')
    .description('show or change the settings of the hooks on this machine')
    .action(settings)
  traces
    .command('saved')
    .description('show what the hooks have recorded on this machine')
    .option('--json', 'print it as JSON')
    .action(async ({ json }: Flags) => {
      const [{ addUp, savedText }, { lines, price }] = await Promise.all([
        import('./savings/recap.ts'),
        readMemory(),
      ])
      const saved = addUp(lines, price)
      if (json) printJson(saved)
      else print(savedText(saved))
    })
  traces
    .command('recap')
    .argument('[month]', 'such as 2026-01; by default the last one')
    .description('summarise one month of the hooks in a sentence')
    .action(async (month: string | undefined) => {
      const [{ monthBefore, recapOf }, { lines, price }] = await Promise.all([
        import('./savings/recap.ts'),
        readMemory(),
      ])
      const asked = month ?? monthBefore(new Date().toISOString().slice(0, 7))
      print(recapOf(lines, { month: asked, price }) ?? `Nothing was recorded in ${asked}.`)
    })
  traces
    .command('badge')
    .argument('[file]', 'file to write to; by default standard output')
    .description('draw a badge (SVG) of what the hooks saved, for a README')
    .action(badge)
  traces
    .command('pending')
    .description('list traces on this machine that are waiting to be shared')
    .option('--deliver', 'try to share them now')
    .action(pending)
}

/** Ends the process as soon as it has answered; anything still running is too late. */
async function answerHook(event: string, home: string | undefined): Promise<void> {
  const [{ runHook }, { shellCommand }] = await Promise.all([
    import('./run-hook.ts'),
    import('../../shared/launch.ts'),
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

async function badge(file: string | undefined): Promise<void> {
  const [{ addUp }, { badgeSvg }, { lines, price }] = await Promise.all([
    import('./savings/recap.ts'),
    import('./savings/badge-svg.ts'),
    readMemory(),
  ])
  const svg = badgeSvg(addUp(lines, price))
  if (file === undefined) return print(svg)
  const { replaceFile } = await import('../../shared/files/replace-file.ts')
  replaceFile(file, `${svg}\n`)
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

async function readMemory() {
  const [{ Memory }, { loadHookConfig }] = await Promise.all([
    import('./memory/memory.ts'),
    import('./hook-config.ts'),
  ])
  const { price_per_mtok: price } = await loadHookConfig(process.env)
  return { lines: await new Memory(homeOf(process.env)).lines(), price }
}

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += String(chunk)
  return text
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
