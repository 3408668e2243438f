import { Command } from 'commander'
import { VERSION } from '../protocol/version.ts'
import { registerApi } from './commands/api.ts'
import { registerCall } from './commands/call.ts'
import { registerBackup } from './commands/backup.ts'
import { registerCheck } from './commands/check.ts'
import { registerConfig } from './commands/config.ts'
import { registerCompletion } from './commands/completion.ts'
import { registerConnect } from './commands/connect.ts'
import { registerDemo } from './commands/demo.ts'
import { registerDoctor } from './commands/doctor.ts'
import { registerExplain } from './commands/explain.ts'
import { registerInit } from './commands/init.ts'
import { registerImport } from './commands/import.ts'
import { registerKeys } from './commands/keys.ts'
import { registerLoadtest } from './commands/loadtest.ts'
import { registerRules } from './commands/rules.ts'
import { registerMcp } from './commands/mcp.ts'
import { registerServe, registerStdio } from './commands/serve.ts'
import { registerStats } from './commands/stats.ts'
import { registerStorage } from './commands/storage.ts'
import { registerCode } from './commands/code.ts'
import { registerTraces } from './commands/traces.ts'
import { registerIngest } from './commands/ingest.ts'
import { registerKnowledge } from './commands/knowledge.ts'

/** Every command there is; what each does is loaded when it is used. */
export function createProgram(): Command {
  // What stands after a command belongs to it: `serve` and no command share options.
  const program = new Command('portolan')
    .description('one MCP endpoint for AI agents')
    .version(VERSION)
    .enablePositionalOptions()

  registerStdio(program)
  registerInit(program)
  registerImport(program)
  registerConnect(program)
  registerDoctor(program)
  registerDemo(program)
  registerStats(program)
  registerServe(program)
  registerCheck(program)
  registerConfig(program)
  registerCall(program)
  registerExplain(program)
  registerRules(program)
  registerKeys(program)
  registerMcp(registerCode(program), 'code')
  registerMcp(registerTraces(program), 'traces')
  registerApi(program)
  registerIngest(program)
  registerLoadtest(program)
  registerBackup(program)
  registerStorage(program)
  registerMcp(registerKnowledge(program), 'knowledge')
  registerCompletion(program)
  return program
}
