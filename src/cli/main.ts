#!/usr/bin/env node
import { createProgram } from './program.ts'
import { reportFailure } from './report-failure.ts'

createProgram(process.argv.slice(2))
  .then(async (program) => program.parseAsync())
  .catch(reportFailure)
