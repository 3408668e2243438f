import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import * as commander from './shared/commander.ts'
import { GatewayError } from '../gateway/errors.ts'
import { didYouMean } from '../base/text/nearest.ts'
import { VERSION } from '../base/version.ts'
import { BUILTINS } from '../builtins/index.ts'
import { registerStdio } from './serve/index.ts'

type Load = () => Promise<(program: Command) => void>
type Commands = ReadonlyMap<string, Load>

/** The commands of this folder as help groups them, in its order. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  Start: {
    adopt: async () => (await import('./adopt/index.ts')).registerAdopt,
    init: async () => (await import('./init/index.ts')).registerInit,
    import: async () => (await import('./import/index.ts')).registerImport,
    connect: async () => (await import('./connect/index.ts')).registerConnect,
    trust: async () => (await import('./trust/index.ts')).registerTrust,
    doctor: async () => (await import('./doctor/index.ts')).registerDoctor,
    demo: async () => (await import('./demo/index.ts')).registerDemo,
  },
  Servers: {
    server: async () => (await import('./server/index.ts')).registerServer,
    lock: async () => (await import('./lock/index.ts')).registerLock,
    secrets: async () => (await import('./secrets/index.ts')).registerSecrets,
    api: async () => (await import('./api/index.ts')).registerApi,
    call: async () => (await import('./call/index.ts')).registerCall,
    run: async () => (await import('./run/index.ts')).registerRun,
    record: async () => (await import('./tapes/index.ts')).registerRecord,
    replay: async () => (await import('./tapes/index.ts')).registerReplay,
    scripts: async () => (await import('./scripts/index.ts')).registerScripts,
  },
  Rules: {
    check: async () => (await import('./check/index.ts')).registerCheck,
    history: async () => (await import('./history/index.ts')).registerHistory,
    rollback: async () => (await import('./history/index.ts')).registerRollback,
    toolsets: async () => (await import('./toolsets/index.ts')).registerToolsets,
    explain: async () => (await import('./explain/index.ts')).registerExplain,
    rules: async () => (await import('./rules/index.ts')).registerRules,
    approvals: async () => (await import('./approvals/index.ts')).registerApprovals,
  },
  People: {
    keys: async () => (await import('./keys/index.ts')).registerKeys,
    users: async () => (await import('./users/index.ts')).registerUsers,
  },
  'Knowledge and code': {
    code: async () => (await import('./code/index.ts')).registerCode,
    knowledge: async () => (await import('./knowledge/index.ts')).registerKnowledge,
    ingest: async () => (await import('./ingest/index.ts')).registerIngest,
    traces: async () => (await import('./traces/index.ts')).registerTraces,
  },
  Operate: {
    serve: async () => (await import('./serve/index.ts')).registerServe,
    dashboard: async () => (await import('./dashboard/index.ts')).registerDashboard,
    status: async () => (await import('./gateway/index.ts')).registerStatus,
    stop: async () => (await import('./gateway/index.ts')).registerStop,
    stats: async () => (await import('./stats/index.ts')).registerStats,
    config: async () => (await import('./config/index.ts')).registerConfig,
    backup: async () => (await import('./backup/index.ts')).registerBackup,
    restore: async () => (await import('./backup/index.ts')).registerRestore,
    storage: async () => (await import('./storage/index.ts')).registerStorage,
    completion: async () => (await import('./completion/index.ts')).registerCompletion,
  },
}

const OWN: Commands = new Map(Object.values(GROUPS).flatMap((group) => Object.entries(group)))

/** Every command; a built-in without commands in this folder has those of its manifest. */
const COMMANDS: Commands = new Map([
  ...OWN,
  ...BUILTINS.filter(({ name }) => !OWN.has(name)).map(
    ({ name }) =>
      [
        name,
        async () => (await import('./shared/serve/mcp-command.ts')).builtinCommand(name),
      ] as const,
  ),
])

/** Commands that only Portolan itself calls. */
const INTERNAL: Commands = new Map(
  Object.entries({
    'demo-server': async () => (await import('./demo/index.ts')).registerDemoServer,
    'background-gateway': async () => (await import('./gateway/index.ts')).registerBackground,
  }),
)

/**
 * Creates the program for a command line. Loads only the command that comes first, since every
 * module costs part of a millisecond. Without `words`, loads all commands, for the reference. `alone`
 * is why this process cannot join the person's gateway.
 */
export async function createProgram(words?: readonly string[], alone?: string): Promise<Command> {
  // Options after a command belong to that command, as `serve` and plain `portolan` share some.
  const program = new commander.Command('portolan')
    .description('one MCP endpoint for AI agents')
    .version(VERSION)
    .enablePositionalOptions()
    .showHelpAfterError('Add --help to see what it takes.')
    .configureOutput({
      // As in report-failure.ts, which reports all other errors.
      outputError: (text, write) => write(text.replace(/^error: /, 'ERROR: ')),
    })
    .hook('preAction', passOptionsOn)

  registerStdio(program, alone)
  if (words) mustBeNoCommand(words[0], program)
  const commands = words ? await commandsFor(words[0]) : [...COMMANDS.values()]
  for (const register of await Promise.all(commands.map(async (load) => load()))) register(program)
  for (const command of program.commands) command.helpGroup(`${groupOf(command.name())}:`)
  if (commands.length > 1)
    (await import('./help/index.ts')).registerHelp(program, { isWhole: isWholeWanted(words) })
  return program
}

/** Whether help lists every command: for the reference, TAB, and `--all`. */
function isWholeWanted(words: readonly string[] = ['--all']): boolean {
  return words.includes('--all') || words[0] === '__complete'
}

function groupOf(name: string): string {
  return (
    Object.keys(GROUPS).find((group) => Object.hasOwn(GROUPS[group] ?? {}, name)) ??
    'Knowledge and code'
  )
}

/** Makes `portolan --mcp x.json serve` equal to `portolan serve --mcp x.json`. */
function passOptionsOn(program: Command, command: CommandUnknownOpts): void {
  if (command === program) return
  for (const option of program.options) {
    const name = option.attributeName()
    if (program.getOptionValueSource(name) !== 'cli') continue
    if (!command.options.some((own) => own.attributeName() === name))
      throw new GatewayError('INVALID_PARAMS', `'${command.name()}' has no option ${option.long}`, {
        hint: 'Put options behind the command; --help there lists them.',
      })
    if (command.getOptionValueSource(name) !== 'cli')
      command.setOptionValueWithSource(name, program.getOptionValue(name), 'cli')
  }
}

/** Points out the command for an option such as `--init`, which other gateways have. */
function mustBeNoCommand(word: string | undefined, { options }: Command): void {
  const name = word?.startsWith('--') ? word.slice(2) : ''
  if (!OWN.has(name) || options.some(({ long }) => long === word)) return
  throw new GatewayError('INVALID_PARAMS', `There is no option '${word}'`, {
    hint: `${name} is a command: portolan ${name}`,
  })
}

async function commandsFor(word: string | undefined) {
  if (word === undefined) return []
  const named = COMMANDS.get(word) ?? INTERNAL.get(word)
  if (named) return [named]
  // After an option, `help` or `__complete`, any command may follow.
  if (/^[-_]|^help$/.test(word)) return [...COMMANDS.values()]
  throw new GatewayError('INVALID_PARAMS', `There is no command '${word}'`, {
    hint:
      (await asPartOf(word)) ?? didYouMean(word, COMMANDS.keys()) ?? 'portolan --help lists them',
  })
}

/** Suggests the full command for a subcommand: `portolan server add` for `portolan add`. */
async function asPartOf(word: string): Promise<string | undefined> {
  const { commands } = await createProgram()
  const whole = commands
    .filter((group) => group.commands.some((part) => part.name() === word))
    .map((group) => `portolan ${group.name()} ${word}`)
  return whole.length > 0 ? `Did you mean ${whole.slice(0, 3).join(', or ')}?` : undefined
}
