import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { Option } from '../shared/commander.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { CLIENT_IDS } from '../clients/client.ts'
import { durationOption } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** Registers `portolan adopt`, which replaces the many servers of a client by one. */
export function registerAdopt(program: Command): void {
  program
    .command('adopt')
    .description('move the MCP servers of your clients behind Portolan, and connect the clients')
    .addOption(
      new Option(
        '--client <client...>',
        'only these clients; connects them even without servers',
      ).choices(CLIENT_IDS),
    )
    .option('--undo', 'restore every file to what it was before Portolan')
    .option('--original <file>', 'print a file as it was before Portolan changed it')
    .option('--dry-run', 'show what would be done, and change nothing')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--no-count', 'do not start the servers to count the tokens of their tools')
    .addOption(durationOption('--timeout <duration>', 'how long one server may take', '20s'))
    .option('--json', 'print the report as JSON on stdout')
    .action(async (flags) => {
      if (flags.undo) return undo(flags.json)
      if (flags.original !== undefined) return printOriginal(flags.original)
      const [{ offerAdopt }, { createTerminal }, { thisMachine }, { toAdoptJson }] =
        await Promise.all([
          import('./offer-adopt.ts'),
          import('../shared/terminal/terminal.ts'),
          import('../clients/machine.ts'),
          import('./render-adopt.ts'),
        ])
      const terminal = createTerminal()
      if (!flags.yes && !flags.dryRun && (flags.json || !terminal.canAsk))
        throw new GatewayError(
          'INVALID_PARAMS',
          'Files would be changed, and there is no terminal to ask in',
          {
            hint: '--yes goes ahead, --dry-run only shows what would be done.',
          },
        )
      const report = await offerAdopt({
        machine: thisMachine(),
        terminal: flags.json ? undefined : terminal,
        clients: flags.client,
        ask: !flags.yes,
        count: flags.count,
        timeoutMs: flags.timeout,
        dryRun: flags.dryRun ?? false,
      })
      if (flags.json) printJson(toAdoptJson(report))
      const isBroken = report.clients.some(({ error }) => error !== undefined)
      if (isBroken || report.plan.problems.length > 0) process.exitCode = 1
    })
}

async function printOriginal(path: string): Promise<void> {
  const [{ journalOf }, { thisMachine }] = await Promise.all([
    import('../connect/connect-client.ts'),
    import('../clients/machine.ts'),
  ])
  const file = resolve(path)
  const original = journalOf(thisMachine()).original(file)
  if (original === undefined)
    throw new GatewayError('INVALID_PARAMS', `There is no copy of ${file} from before Portolan`, {
      hint: 'Copies are kept of files that Portolan has changed and not restored yet.',
    })
  process.stdout.write(original)
}

async function undo(json: true | undefined): Promise<void> {
  const [{ undoAdopt, renderUndone }, { changeFiles }, { createTerminal }, { thisMachine }] =
    await Promise.all([
      import('../connect/undo.ts'),
      import('../shared/files/change-files.ts'),
      import('../shared/terminal/terminal.ts'),
      import('../clients/machine.ts'),
    ])
  const machine = thisMachine()
  const done = await changeFiles(machine, { reason: 'adopt --undo' }, async () =>
    undoAdopt(machine),
  )
  if (json) printJson({ undone: done })
  else renderUndone(done, createTerminal())
  if (done.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
}
