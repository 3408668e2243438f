#!/usr/bin/env node
import module from 'node:module'
import { messageOf } from '../base/errors.ts'
import { proxyFetch } from '../base/net/proxy.ts'
import { fromCocoSearch } from '../builtins/code/cocosearch-names.ts'
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'
import { guardTerminal, endWithReader } from './shared/terminal/guard-terminal.ts'

// Node 22 and later can cache compiled code for later processes.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function')
  module.enableCompileCache()

Object.assign(process.env, fromCocoSearch(process.env))
endWithReader()
guardTerminal(process.stdout)
guardTerminal(process.stderr)

proxyFetch()
  // What needs no proxy still works, and every request that does says the same.
  .catch((error: unknown) => void process.stderr.write(`warn ${messageOf(error)}\n`))
  .then(async () => createProgram(process.argv.slice(2)))
  .then(async (program) => program.parseAsync())
  .catch(reportFailure)
