import type { CommandOptions } from 'commander'
import type { Command } from '@commander-js/extra-typings'
import { Argument } from '../shared/commander.ts'
import type { Environment } from '../../base/environment.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { packageFile } from '../../base/files/package-files.ts'
import { connectTraces } from './connect-traces.ts'
import type { Operation } from './operation.ts'
import { ADMIN_OPERATIONS, OPERATIONS } from './operations.ts'
import { OWNER_LISTS, OWNER_OPERATIONS } from './owner-operations.ts'
import { toPort } from '../shared/serve/choose-transport.ts'
import { registerMcp } from '../shared/serve/mcp-command.ts'
import { registerTraceHooks } from './hooks/index.ts'

const STARTER_SET = packageFile('assets/starter-traces.json')

/** `portolan traces …`: every operation of the service, for people and sub-agents. */
export function registerTraces(program: Command): void {
  const traces = program
    .command('traces')
    .description('search, contribute, rate and serve what agents have learnt')
  for (const operation of OPERATIONS) register(traces, operation)
  registerImport(traces)
  registerServe(traces)
  registerMcp(traces, 'traces')
  const admin = traces
    .command('admin')
    .description('the rest: amendments, moderation, keys, invitations, reports and hooks')
  for (const operation of OWNER_LISTS) register(admin, operation)
  // Also where they were before.
  for (const [group, options] of [[admin], [traces, { hidden: true }]] as const) {
    for (const operation of [...ADMIN_OPERATIONS, ...OWNER_OPERATIONS])
      register(group, operation, options)
    registerConsolidate(group, options)
    registerTraceHooks(group, options)
  }
  for (const name of ['backup', 'restore']) registerMoved(traces, name)
}

function register(traces: Command, operation: Operation, options: CommandOptions = {}): void {
  const { choice } = operation
  const command = traces.command(operation.command, options).description(operation.description)
  if (choice) command.addArgument(new Argument(choice[0]).choices(choice[1]))
  for (const [flags, description] of operation.options ?? []) command.option(flags, description)
  command.option('--json', 'print the answer as JSON')
  command.action(async () => {
    const connection = await connectTraces(process.env)
    try {
      const { runOperation } = await import('./run-operation.ts')
      await runOperation(operation, { args: command.args, options: command.opts() }, connection)
    } finally {
      await connection.close()
    }
  })
}

function registerImport(traces: Command): void {
  traces
    .command('import')
    .argument('<file>', 'a JSON list, or one JSON object per line')
    .description('contribute the traces of a file; existing ones are not changed')
    .action(async (file) => importFrom(file))
  traces
    .command('seed')
    .description('import the starter set')
    .action(async () => importFrom(STARTER_SET))
}

function registerConsolidate(group: Command, options: CommandOptions = {}): void {
  group
    .command('consolidate', options)
    .description('consolidate now what `traces serve` consolidates once a day')
    .action(async () => {
      const { openCommunityFrom } = await import('./open-embedded.ts')
      const embedded = await openCommunityFrom(process.env)
      try {
        const stats = await embedded.traces.consolidate()
        print(stats ? JSON.stringify(stats, null, 2) : 'This period has been consolidated already.')
      } finally {
        await embedded.close()
      }
    })
}

/** Names the command that does what a removed one did. */
function registerMoved(traces: Command, name: string): void {
  traces
    .command(`${name} [file]`, { hidden: true })
    .allowUnknownOption()
    .action(() => {
      throw new GatewayError('INVALID_PARAMS', `There is no "portolan traces ${name}" any more`, {
        hint: `Use "portolan ${name} <file>", which takes the whole database and the data folder.`,
      })
    })
}

function registerServe(traces: Command): void {
  traces
    .command('serve')
    .description('serve the REST API, and its tools as an MCP server on MCP_PORT or any free port')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', 'where to listen', toPort, 8000)
    .action(async ({ host, port }) => {
      const [
        { serveTraces, serveMcp },
        { SERVER_NAME, SERVICE_NAMES },
        { takeOver },
        { formerNames },
        { VERSION },
        { keepServing },
        { createLog },
      ] = await Promise.all([
        import('./serve-traces.ts'),
        import('../../builtins/traces/common-trace-names.ts'),
        import('../shared/serve/take-over.ts'),
        import('../../config/settings/former-names.ts'),
        import('../../base/version.ts'),
        import('../shared/serve/keep-serving.ts'),
        import('../../telemetry/log.ts'),
      ])
      const system = {
        name: SERVER_NAME,
        names: async () => SERVICE_NAMES,
        notes: async (env: Environment) => formerNames(env),
      }
      const { env, notes } = await takeOver(system, { cwd: process.cwd(), env: process.env })
      for (const note of notes) console.error(`portolan traces: ${note}`)
      const running = await serveTraces(env, {
        host,
        port,
        version: VERSION,
        serveMcp,
      })
      console.error(`Traces API: ${running.url}/api/v1 (described at ${running.url}/openapi.json)`)
      keepServing(createLog())
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => {
          void running.close()
        })
    })
}

async function importFrom(file: string): Promise<void> {
  const { importTraces } = await import('./import-traces.ts')
  const connection = await connectTraces({
    // Importing into one's own service needs no rate limit.
    PORTOLAN_TRACES_RATE_LIMIT_WRITE_PER_MINUTE: '100000',
    ...process.env,
  })
  const { imported, present, refused } = await importTraces(connection, file).finally(async () =>
    connection.close(),
  )
  print(`${imported} imported, ${present} already there, ${refused.length} refused`)
  for (const { title, reason } of refused) console.error(`- ${title}: ${reason}`)
  if (refused.length > 0) process.exitCode = 1
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
