import { join } from 'node:path'
import { Command } from 'commander'
import { connectTraces, homeOf } from '../traces/connect-traces.ts'
import { registerMcp } from './mcp.ts'
import { OPERATIONS, type Operation, type Options } from '../traces/operations.ts'

/** Beside the built code and the sources alike. */
const STARTER_SET = join(import.meta.dirname, '../../../data/starter-traces.json')

/** `portolan traces …`: every operation of the service, for people and sub-agents. */
export function registerTraces(program: Command): void {
  const traces = program
    .command('traces')
    .description('what agents have learnt: search, contribute, vote, serve')
  for (const operation of OPERATIONS) register(traces, operation)
  registerData(traces)
  registerServe(traces)
  registerHooks(traces)
  registerMcp(traces, 'traces')
}

function register(traces: Command, operation: Operation): void {
  const command = traces.command(operation.name).description(operation.description)
  for (const argument of operation.args) command.argument(argument)
  for (const [flags, description] of operation.options) command.option(flags, description)
  command.option('--json', 'print the answer as JSON')
  command.action(async () => {
    const options = command.opts<Options>()
    const { method, path, body } = operation.toRequest(command.args, options)
    const connection = await connectTraces(process.env)
    try {
      const answer = await connection.request(method, path, body)
      if (answer.status >= 400) fail(`${String(answer.body['detail'])} (HTTP ${answer.status})`)
      else print(await toText(operation.name, answer.body, options))
    } finally {
      await connection.close()
    }
  })
}

async function toText(
  name: string,
  body: Record<string, unknown>,
  options: Options,
): Promise<string> {
  const { formatResults, formatTags, formatTrace } = await import('../../servers/traces/format.ts')
  if (!options['json']) {
    if (name === 'search') return formatResults('', body)
    if (name === 'get') return formatTrace(body)
    if (name === 'tags') return formatTags(body)
  }
  return JSON.stringify(body, null, 2)
}

function registerData(traces: Command): void {
  traces
    .command('import')
    .argument('<file>', 'a JSON list, or one JSON object per line')
    .description('contribute the traces of a file; what is there already is left alone')
    .action(async (file: string) => importFrom(file))
  traces
    .command('seed')
    .description('import the starter set')
    .action(async () => importFrom(STARTER_SET))
  traces
    .command('consolidate')
    .description('run the sleep cycle now, unless this period had one')
    .action(async () => {
      const embedded = await (
        await import('../../app/open-embedded-traces.ts')
      ).openEmbedded(process.env)
      const stats = await embedded.traces.consolidate()
      print(stats ? JSON.stringify(stats, null, 2) : 'This period has been consolidated already.')
      await embedded.close()
    })
  traces
    .command('backup')
    .argument('<file>')
    .description('write the whole database to a file that either engine can restore')
    .action(async (file: string) => {
      const { storage, close } = await openData()
      const { backupStorage } = await import('../../storage/backup.ts')
      const { tables, rows } = await backupStorage(storage, file)
      await close()
      print(`${rows} rows of ${tables} tables in ${file}`)
    })
  traces
    .command('restore')
    .argument('<file>')
    .description('fill an empty database from a backup')
    .action(async (file: string) => {
      const { storage, close } = await openData()
      const { restoreStorage } = await import('../../storage/backup.ts')
      const { tables, rows } = await restoreStorage(storage, file)
      await close()
      print(`${rows} rows of ${tables} tables restored`)
    })
}

function registerServe(traces: Command): void {
  traces
    .command('serve')
    .description('the REST API, and its tools as an MCP server')
    .option('--host <address>', 'where to listen', '127.0.0.1')
    .option('--port <number>', 'where to listen', '8000')
    .action(async ({ host, port }: { host: string; port: string }) => {
      const [{ serveTraces }, { serveMcp }, { VERSION }] = await Promise.all([
        import('../traces/serve-traces.ts'),
        import('../traces/serve-mcp.ts'),
        import('../../protocol/version.ts'),
      ])
      const running = await serveTraces(process.env, {
        host,
        port: Number(port),
        version: VERSION,
        serveMcp,
      })
      console.error(`Traces API: ${running.url}/api/v1 (described at ${running.url}/openapi.json)`)
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => {
          void running.close()
        })
    })
}

function registerHooks(traces: Command): void {
  traces
    .command('saved')
    .description('what the hooks have noted on this machine')
    .action(async () => {
      const { HookState } = await import('../hooks/hook-state.ts')
      const entries = await new HookState(homeOf(process.env)).ledger()
      const assisted = entries.filter(({ trace_id }) => trace_id !== undefined)
      const minutes = assisted.reduce((sum, entry) => sum + (entry.minutes ?? 0), 0)
      const solved = entries.filter(({ kind }) => kind === 'resolved').length
      print(
        `${solved} errors solved, ${assisted.length} with the help of a trace, ${minutes} minutes`,
      )
    })
  traces
    .command('hook')
    .argument('<event>', 'SessionStart, PostToolUse, PostToolUseFailure or Stop')
    .description('answers one hook of Claude Code, from standard input; never fails')
    .action(async (event: string) => {
      const { runHook } = await import('../hooks/run-hook.ts')
      const output = await runHook(event, await readAll(), process.env)
      if (output) print(output)
    })
}

async function importFrom(file: string): Promise<void> {
  const { importTraces } = await import('../traces/import-traces.ts')
  const connection = await connectTraces({
    // What a person imports into an own service is not a flood.
    RATE_LIMIT_WRITE_PER_MINUTE: '100000',
    ...process.env,
  })
  const { imported, present, refused } = await importTraces(connection, file)
  await connection.close()
  print(`${imported} imported, ${present} there already, ${refused.length} refused`)
  for (const { title, reason } of refused) console.error(`- ${title}: ${reason}`)
  if (refused.length > 0) process.exitCode = 1
}

async function openData() {
  const { openStorage } = await import('../../storage/open-storage.ts')
  const storage = await openStorage({
    home: homeOf(process.env),
    databaseUrl: process.env['DATABASE_URL'],
  })
  return { storage, close: async () => storage.close() }
}

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) text += String(chunk)
  return text
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
