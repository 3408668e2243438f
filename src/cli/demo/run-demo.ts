import { setTimeout as sleep } from 'node:timers/promises'
import { type Terminal, createTerminal, number } from '../shared/terminal/terminal.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { openDemo } from './open-demo.ts'
import { type Step, tour } from './tour.ts'

export interface DemoOptions {
  readonly fast: boolean
  readonly json: boolean
}

const PAUSE_MS = 900
const MAX_LINE_LENGTH = 110
const MAX_LINES = 7

/** Shows the tour step by step. However it ends, it leaves nothing on disk. */
export async function runDemo({ fast, json }: DemoOptions): Promise<void> {
  const terminal = createTerminal()
  const demo = await openDemo()
  const stop = () => void demo.close().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  const steps: Step[] = []
  try {
    if (!json) terminal.line(`A gateway of its own, at ${demo.endpoint.split('?')[0]}\n`)
    for await (const step of tour(demo)) {
      steps.push(step)
      if (json) continue
      renderStep(step, steps.length, terminal)
      if (!fast && process.stdout.isTTY) await sleep(PAUSE_MS)
    }
  } finally {
    process.off('SIGINT', stop)
    await demo.close()
  }
  if (json) return printJson(steps)
  terminal.line('Everything above has been removed. For your own servers: portolan init')
}

function renderStep(step: Step, index: number, { line, paint }: Terminal): void {
  const { title, agent, asked, answer, tokens, ms, remark } = step
  line(`${paint('cyan', `${index}.`)} ${paint('bold', title)}`)
  line(`   ${paint('gray', `${agent} ›`)} ${cut(asked)}`)
  for (const text of excerpt(answer)) line(`   ${paint('gray', '│')} ${text}`)
  if (tokens > 0) line(paint('gray', `   └ ${number(tokens)} tokens, ${ms} ms`))
  line(`   ${remark}\n`)
}

function excerpt(answer: string): string[] {
  const lines = answer.split('\n').flatMap((text) => wrapped(text))
  const more = lines.length - MAX_LINES
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… ${number(more)} more lines`] : lines
}

function wrapped(text: string): string[] {
  const parts = text.match(new RegExp(`.{1,${MAX_LINE_LENGTH}}`, 'gu'))
  return parts ?? ['']
}

function cut(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text
}
