import { type Command, InvalidArgumentError } from 'commander'
import type { ApiConfigInput } from '../../upstreams/openapi/load/api-config.ts'
import {
  type TransportFlags,
  chooseTransport,
  toPort,
  withoutTransport,
} from '../shared/serve/choose-transport.ts'
import { createLog } from '../../telemetry/log.ts'
import type { StandaloneTransport } from '../../app/builtins/serve-standalone.ts'
import { keepServing } from '../shared/serve/keep-serving.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { defineNsipSearch } from './nsip-search/index.ts'

/** The default port: the one people expect of an API server. */
const USUAL_PORT = 8000

interface ApiFlags extends TransportFlags {
  readonly baseUrl?: string
  readonly include?: string[]
  readonly exclude?: string[]
  readonly readOnly?: true
  readonly allowPrivate?: true
  readonly externalRefs?: true
  readonly bearerEnv?: string
  readonly demo?: true
  readonly debug?: true
}

/** Registers `portolan api …`, which serves any REST API as an MCP server. */
export function registerApi(program: Command): void {
  const api = program
    .command('api')
    .description('serve a REST API as an MCP server, from a pack or an OpenAPI description')
    .argument('<name|spec>', 'name of an API pack, or file or URL of a description')
    .option('--transport <name>', 'stdio, streamable-http or websocket (MCP_TRANSPORT)')
    .option('--port <port>', 'port to listen on, 0 for any free one (MCP_PORT; 8000)', toPort)
    .option('--host <address>', 'address to bind (MCP_HOST)')
    .option('--path <path>', 'URL path of the endpoint (MCP_PATH)')
    .option('--demo', 'call a built-in synthetic server instead of the real API (nsip)')
    .option('--debug', 'log more')
  withSpecOptions(api).action(async (source: string, flags: ApiFlags) => serve(source, flags))

  withSpecOptions(api.command('inspect'))
    .description(
      'show the tools that a description becomes, their tokens, and what is dropped or renamed',
    )
    .argument('<spec>', 'name of an API pack, or file or URL of a description')
    .option('--json', 'print the report as JSON')
    .action(async (source: string, flags: ApiFlags & { json?: true }) => {
      const { inspectApi } = await import('../../app/builtins/inspect-api.ts')
      const { loadSettings } = await import('../../config/load.ts')
      const { home } = loadSettings()
      const report = await inspectApi(source, toConfig(flags), home)
      if (flags.json) printJson(report.summary)
      else process.stdout.write(report.text)
    })

  api
    .command('new')
    .description('create an API pack: a folder with the description and rules to fill in')
    .argument('<spec>', 'file or URL of a description')
    .option('--name <name>', 'name of the pack; by default derived from the title')
    .option('--folder <path>', 'the folder of packs', 'apis')
    .action(async (source: string, flags: { name?: string; folder: string }) => {
      const { createPack } = await import('../../upstreams/openapi/load/create-pack.ts')
      const { folder, name } = await createPack(source, flags)
      process.stderr.write(
        `Created ${folder}. Edit pack.yaml, then: portolan trust && portolan api ${name}\n`,
      )
    })

  defineNsipSearch(api.command('nsip-search'))
}

function withSpecOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'address of the API, instead of the one in the description')
    .option('--include <pattern...>', 'operation ids, paths or tag:names to import')
    .option('--exclude <pattern...>', 'operation ids, paths or tag:names to leave out')
    .option('--bearer-env <name>', 'environment variable that holds a bearer token')
    .option('--read-only', 'import only operations that change nothing')
    .option('--allow-private', 'allow private and loopback addresses')
    .option('--external-refs', 'follow references to neighbouring files')
}

async function serve(source: string, flags: ApiFlags): Promise<void> {
  if (!flags.demo) return serveApi(source, flags, {})
  const demo = await startDemo(source)
  try {
    await serveApi(source, flags, { baseUrl: demo.url, allowPrivate: true })
  } finally {
    await demo[Symbol.asyncDispose]()
  }
}

async function serveApi(
  source: string,
  flags: ApiFlags,
  config: Partial<ApiConfigInput>,
): Promise<void> {
  const transport = chooseTransport(flags, process.env, USUAL_PORT)
  const [
    { loadApi },
    { loadSettings },
    { packFolderOf },
    { serveStandalone },
    stop,
    { CallTally },
  ] = await Promise.all([
    import('../../upstreams/openapi/load/load-api.ts'),
    import('../../config/load.ts'),
    import('../../config/trust/trust-list.ts'),
    import('../../app/builtins/serve-standalone.ts'),
    import('../shared/serve/until-stopped.ts'),
    import('../../app/builtins/open-service.ts'),
  ])
  const env = withoutTransport(process.env)
  const { home } = loadSettings({ env })
  const tally = new CallTally()
  const service = await loadApi(source, {
    home,
    folder: packFolderOf({ cwd: process.cwd(), env: process.env }),
    config: { ...toConfig(flags), ...config },
    health: tally.of(source),
  })
  await serveStandalone(service, {
    transport,
    env,
    tally,
    debug: flags.debug,
    onListening: (url) =>
      process.stderr.write(`portolan listening on ${url}${websocketAt(transport, url)}\n`),
    untilStopped: async () => {
      keepServing(createLog())
      await stop.untilStopped(async () => undefined)
    },
  })
  if (transport.kind === 'stdio') process.stdin.destroy()
}

function websocketAt(transport: StandaloneTransport, url: string): string {
  if (transport.kind !== 'websocket') return ''
  return `, WebSocket at ${url.replace(/^http/, 'ws')}${transport.path}`
}

async function startDemo(source: string) {
  if (source !== 'nsip') throw new InvalidArgumentError('Only the pack "nsip" has a demo.')
  const { startDemoServer } = await import('../../upstreams/openapi/extensions/nsip/demo/server.ts')
  const demo = await startDemoServer()
  process.stderr.write(`demo API with ${demo.flock.length} synthetic animals at ${demo.url}\n`)
  return demo
}

function toConfig(flags: ApiFlags): Partial<ApiConfigInput> {
  const { baseUrl, include, exclude, readOnly, allowPrivate, externalRefs, bearerEnv } = flags
  const token = bearerEnv === undefined ? undefined : secretFrom(bearerEnv)
  return {
    ...(token !== undefined && { auth: { type: 'bearer', token } }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(readOnly && { readOnly }),
    ...(allowPrivate && { allowPrivate }),
    ...(externalRefs && { externalRefs }),
  }
}

function secretFrom(variable: string): string {
  const secret = process.env[variable]
  if (secret) return secret
  throw new InvalidArgumentError(`--bearer-env: the variable ${variable} is not set.`)
}
