import { Command } from 'commander'
import { registerTraces } from '../../src/cli/commands/traces.ts'

const program = new Command('portolan')
registerTraces(program)
await program.parseAsync()
