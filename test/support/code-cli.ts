// The `code` commands alone, for tests that run them in a separate process.
import { Command } from 'commander'
import { registerCode } from '../../src/cli/code/index.ts'

const program = new Command('portolan')
registerCode(program)
try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
