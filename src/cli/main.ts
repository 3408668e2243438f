#!/usr/bin/env node
import { Command } from 'commander'
import { VERSION } from '../protocol/version.ts'
import { registerApi } from './commands/api.ts'
import { registerCheck } from './commands/check.ts'
import { registerConfig } from './commands/config.ts'
import { registerExplain } from './commands/explain.ts'
import { registerKeys } from './commands/keys.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerServe, registerStdio } from './commands/serve.ts'
import { registerCode } from './commands/code.ts'
import { registerTraces } from './commands/traces.ts'
import { registerIngest } from './commands/ingest.ts'
import { registerKnowledge } from './commands/knowledge.ts'
import { reportFailure } from './report-failure.ts'

// What stands after a command belongs to it: `serve` and no command share options.
const program = new Command('portolan')
  .description('one MCP endpoint for AI agents')
  .version(VERSION)
  .enablePositionalOptions()

registerStdio(program)
registerServe(program)
registerCheck(program)
registerConfig(program)
registerExplain(program)
registerKeys(program)
registerMcp(registerCode(program), 'code')
registerMcp(registerTraces(program), 'traces')
registerApi(program)
registerIngest(program)
registerMcp(registerKnowledge(program), 'knowledge')

program.parseAsync().catch(reportFailure)
