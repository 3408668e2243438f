import { CLIENTS } from '../shared/clients/clients.ts'
import type { Machine } from '../shared/clients/machine.ts'
import { stateOf } from '../connect/connect-command.ts'
import type { Terminal } from '../shared/terminal/terminal.ts'
import type { InitReport } from './run-init.ts'

export function renderInit(report: InitReport, { line, paint }: Terminal): void {
  for (const name of report.written) line(`${paint('green', '✓')} ${name}`)
  for (const name of report.kept) line(`${paint('gray', '·')} ${name} is unchanged`)
}

/** What is left to do, in order. */
export function renderNext(machine: Machine, { line, paint }: Terminal): void {
  const states = CLIENTS.map((client) => stateOf(client, machine))
  const isConnected = states.some(({ state }) => state === 'connected')
  const found = states.find(({ state }) => state === 'found')?.id ?? '<client>'
  line(`\n${paint('bold', 'Next')}`)
  const steps = [
    ['portolan doctor', 'check that all servers answer'],
    ['portolan server add <name> -- <command>', 'add a server'],
    ...(isConnected ? [] : [[`portolan connect ${found}`, 'let your client use Portolan']]),
    ['portolan explain default <server> <tool>', 'see what an agent may do, and why'],
  ]
  for (const [command = '', why = ''] of steps)
    line(`  ${paint('cyan', command.padEnd(42))} ${why}`)
}
