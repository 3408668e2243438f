import { Command } from 'commander'
import { registerTraces } from '../../src/cli/traces/index.ts'

const program = new Command('portolan')
registerTraces(program)
await program.parseAsync()
