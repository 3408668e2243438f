#!/usr/bin/env node
import module from 'node:module'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'
import { guardTerminal } from './shared/terminal/guard-terminal.ts'

// From Node 22 on, what was compiled once is read from a cache by the processes to come.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache()

for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // A reader such as `head` stops early. A server has a listener of its own, and shuts down or goes on.
    if (output.listenerCount('error') === 1) process.exit()
  })

guardTerminal(process.stdout)

createProgram(process.argv.slice(2))
  .then(async (program) => program.parseAsync())
  .catch(reportFailure)
