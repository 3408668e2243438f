import { Command } from 'commander'
import { GatewayError } from '../gateway/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { VERSION } from '../base/version.ts'
import { BUILTINS } from '../builtins/index.ts'
import { registerStdio } from './commands/serve.ts'

type Commands = ReadonlyMap<string, () => Promise<(program: Command) => void>>

/** The commands of this folder, in the order of the help. */
const OWN: Commands = new Map(
  Object.entries({
    init: async () => (await import('./commands/init.ts')).registerInit,
    import: async () => (await import('./commands/import.ts')).registerImport,
    connect: async () => (await import('./commands/connect.ts')).registerConnect,
    doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
    demo: async () => (await import('./commands/demo.ts')).registerDemo,
    stats: async () => (await import('./commands/stats.ts')).registerStats,
    serve: async () => (await import('./commands/serve.ts')).registerServe,
    check: async () => (await import('./commands/check.ts')).registerCheck,
    config: async () => (await import('./commands/config.ts')).registerConfig,
    call: async () => (await import('./commands/call.ts')).registerCall,
    explain: async () => (await import('./commands/explain.ts')).registerExplain,
    rules: async () => (await import('./commands/rules.ts')).registerRules,
    keys: async () => (await import('./commands/keys.ts')).registerKeys,
    code: async () => (await import('./commands/code.ts')).registerCode,
    traces: async () => (await import('./commands/traces.ts')).registerTraces,
    api: async () => (await import('./commands/api.ts')).registerApi,
    ingest: async () => (await import('./commands/ingest.ts')).registerIngest,
    loadtest: async () => (await import('./commands/loadtest.ts')).registerLoadtest,
    backup: async () => (await import('./commands/backup.ts')).registerBackup,
    restore: async () => (await import('./commands/backup.ts')).registerRestore,
    storage: async () => (await import('./commands/storage.ts')).registerStorage,
    knowledge: async () => (await import('./commands/knowledge.ts')).registerKnowledge,
    completion: async () => (await import('./commands/completion.ts')).registerCompletion,
  }),
)

/** Every command there is: a built-in without commands in this folder has those of its manifest. */
const COMMANDS: Commands = new Map([
  ...OWN,
  ...BUILTINS.filter(({ name }) => !OWN.has(name)).map(
    ({ name }) =>
      [name, async () => (await import('./commands/mcp.ts')).builtinCommand(name)] as const,
  ),
])

/** What only our own programs call. */
const INTERNAL: Commands = new Map(
  Object.entries({
    'demo-server': async () => (await import('./commands/demo.ts')).registerDemoServer,
  }),
)

/**
 * The program for what was typed: the command that comes first is loaded by itself, since every
 * module costs part of a millisecond. Without words, all of them, for the reference.
 */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  // What stands after a command belongs to it: `serve` and no command share options.
  const program = new Command('portolan')
    .description('one MCP endpoint for AI agents')
    .version(VERSION)
    .enablePositionalOptions()

  registerStdio(program)
  const commands = words ? commandsFor(words[0]) : [...COMMANDS.values()]
  for (const register of await Promise.all(commands.map(async (load) => load()))) register(program)
  return program
}

function commandsFor(word: string | undefined) {
  if (word === undefined) return []
  const named = COMMANDS.get(word) ?? INTERNAL.get(word)
  if (named) return [named]
  // An option, `help` or `__complete`: any of them may follow.
  if (/^[-_]|^help$/.test(word)) return [...COMMANDS.values()]
  throw new GatewayError('INVALID_PARAMS', `There is no command '${word}'`, {
    hint: didYouMean(word, COMMANDS.keys()) ?? 'portolan --help lists them',
  })
}
