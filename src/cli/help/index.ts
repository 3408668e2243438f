import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import { didYouMean } from '../../base/text/nearest.ts'
import { GatewayError } from '../../gateway/errors.ts'

/** Left out of `portolan --help`; `portolan help --all` has them too. */
const RARE = [
  'run',
  'record',
  'replay',
  'toolsets',
  'import',
  'ingest',
  'status',
  'stop',
  'history',
  'lock',
  'rollback',
  'config',
  'backup',
  'restore',
  'storage',
  'completion',
]

/** Registers `portolan help`; unless `isWhole`, lists of commands leave out the rare ones. */
export function registerHelp(program: Command, { isWhole }: { readonly isWhole: boolean }): void {
  program
    .helpCommand(false)
    .command('help')
    .helpGroup('Operate:')
    .description('show the help of a command; --all lists every command')
    .argument('[command...]')
    .option('--all', 'list every command')
    .action((names) => names.reduce(partOf, program).help())
  if (isWhole) return
  const usual = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => !RARE.includes(command.name()))
  program.configureHelp({ visibleCommands: () => usual })
  program.addHelpText('after', `\nportolan help --all also lists ${RARE.join(', ')}.`)
}

function partOf(parent: CommandUnknownOpts, name: string): CommandUnknownOpts {
  const found = parent.commands.find((each) => each.name() === name)
  if (found) return found
  const names = parent.commands.map((each) => each.name())
  throw new GatewayError('INVALID_PARAMS', `There is no command '${name}'`, {
    hint: didYouMean(name, names) ?? 'portolan help --all lists them',
  })
}
