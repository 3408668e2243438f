#!/usr/bin/env node
import { Command } from 'commander'
import { registerCode } from './commands/code.ts'

const program = new Command('portolan')
registerCode(program)
try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
