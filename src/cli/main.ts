#!/usr/bin/env node
import module from 'node:module'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'
import { guardTerminal, endWithReader } from './shared/terminal/guard-terminal.ts'

// Node 22 and later can cache compiled code for later processes.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache()

endWithReader()
guardTerminal(process.stdout)
guardTerminal(process.stderr)

createProgram(process.argv.slice(2))
  .then(async (program) => program.parseAsync())
  .catch(reportFailure)
