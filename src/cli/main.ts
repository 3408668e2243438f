#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { registerApi } from './commands/api.ts'
import { registerCheck } from './commands/check.ts'
import { registerExplain } from './commands/explain.ts'
import { registerKeys } from './commands/keys.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerServe, registerStdio } from './commands/serve.ts'
import { registerCode } from './commands/code.ts'
import { registerTraces } from './commands/traces.ts'
import { registerIngest } from './commands/ingest.ts'
import { registerKnowledge } from './commands/knowledge.ts'
import { reportFailure } from './report-failure.ts'

const { version, description }: { version: string; description: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

// What stands after a command belongs to it: `serve` and no command share options.
const program = new Command('portolan')
  .description(description)
  .version(version)
  .enablePositionalOptions()

registerStdio(program)
registerServe(program)
registerCheck(program)
registerExplain(program)
registerKeys(program)
registerMcp(registerCode(program), 'code')
registerMcp(registerTraces(program), 'traces')
registerApi(program)
registerIngest(program)
registerMcp(registerKnowledge(program), 'knowledge')

program.parseAsync().catch(reportFailure)
