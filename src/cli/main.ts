#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerCheck } from './commands/check.ts'
import { registerExplain } from './commands/explain.ts'
import { registerKeys } from './commands/keys.ts'
import { registerServe, registerStdio } from './commands/serve.ts'
import { registerCode } from './commands/code.ts'
import { registerTraces } from './commands/traces.ts'
import { reportFailure } from './report-failure.ts'

const { version, description }: { version: string; description: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

const program = new Command('portolan').description(description).version(version)

registerStdio(program)
registerServe(program)
registerCheck(program)
registerExplain(program)
registerKeys(program)
registerCode(program)
registerTraces(program)

program.parseAsync().catch(reportFailure)
