import {
  type ServerAdder,
  type TriedServer,
  createServerAdder,
} from '../../app/servers/server-adder.ts'
import type { Values } from '../../config/servers/add/fill-plan.ts'
import type { FilledPlan } from '../../config/servers/add/server-plan.ts'
import { loadSettings } from '../../config/load.ts'
import { thisMachine } from '../clients/machine.ts'
import { fileToWrite } from '../clients/servers-file.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { askFor } from './ask-values.ts'
import { type AddFlags, pairs, toGiven, withFlags } from './given-server.ts'
import { type ShownWith, showFailure, showPlan, showSaved, warnOfSandbox } from './show-server.ts'

/** Adds servers: plans their entries, asks for what is missing, tests them, and saves them. */
export async function add(first: string, words: string[], flags: AddFlags): Promise<void> {
  const terminal = createTerminal()
  const machine = thisMachine()
  const file = fileToWrite({ machine, ...flags })
  const settings = loadSettings({ env: machine.env, cwd: machine.cwd })
  const adder = createServerAdder({ place: machine, settings, file })
  const shown = { place: machine, home: settings.home, file, terminal }
  const { name, source } = await toGiven(first, words, flags)
  const plans = await adder.plan(source, { name, sandbox: flags.sandbox })
  const given = pairs(flags.env ?? [], '=')
  const declared = new Set(plans.flatMap(({ variables }) => variables.map((one) => one.name)))
  const filled: FilledPlan[] = []
  for (const one of plans) {
    const others = only(given, (key) => !declared.has(key))
    const own = only(given, (key) => one.variables.some((variable) => variable.name === key))
    const plan = withFlags(one, flags, others)
    await showPlan(plan, terminal)
    const values = await askFor(plan, { ...others, ...own }, terminal)
    filled.push(adder.complete(plan, values))
  }
  const servers = flags.test
    ? await tested(filled, { adder, timeoutMs: flags.timeout, shown })
    : filled.map((one) => ({ filled: one }))
  if (!servers) {
    process.exitCode = 1
    return
  }
  await adder.save(servers, thisPerson())
  for (const one of servers) showSaved(one, shown)
  await warnOfSandbox(filled, terminal)
  terminal.line('  A running gateway loads it automatically.')
}

function only(values: Values, isWanted: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isWanted(name)))
}

interface TestedServer {
  readonly filled: FilledPlan
  readonly tried: TriedServer
}

interface TestOptions {
  readonly adder: ServerAdder
  readonly timeoutMs: number
  readonly shown: ShownWith
}

/** Starts each server and lists it; undefined if one fails, which is then shown. */
async function tested(
  filled: readonly FilledPlan[],
  { adder, timeoutMs, shown }: TestOptions,
): Promise<TestedServer[] | undefined> {
  const servers: TestedServer[] = []
  for (const one of filled) {
    if (shown.terminal.canAsk) process.stderr.write(`Starting ${one.name}…\n`)
    const tried = await adder.test(one, timeoutMs)
    if (tried.probe.error !== undefined && tried.probe.signIn === undefined) {
      showFailure(one, tried, shown)
      return undefined
    }
    servers.push({ filled: one, tried })
  }
  return servers
}
