import type { Command, OptionValues } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { ApiDemo } from '../../upstreams/openapi/extension.ts'
import type { ApiConfigInput } from '../../upstreams/openapi/load/api-config.ts'
import {
  type TransportFlags,
  chooseTransport,
  toPort,
  websocketAt,
  withoutTransport,
} from '../shared/serve/choose-transport.ts'
import { createLog } from '../../telemetry/log.ts'
import { keepServing } from '../shared/serve/keep-serving.ts'
import { printJson } from '../shared/terminal/print-json.ts'

/** The default port: the one people expect of an API server. */
const USUAL_PORT = 8000

type ApiFlags = TransportFlags &
  Partial<ApiConfigInput> & { bearerEnv?: string; demo?: true; debug?: true }

/** Registers `portolan api …`, which serves any REST API as an MCP server. */
export function registerApi(program: Command): void {
  const api = program
    .command('api')
    .description('serve a REST API as an MCP server, from a pack or an OpenAPI description')
    .argument('<name|spec>', 'name of an API pack, or file or URL of a description')
    .argument('[command...]', 'a command of the pack with its options; "help" lists them')
    // Options of the pack's commands are known only to the pack.
    .allowUnknownOption()
    .option('--transport <name>', 'stdio, streamable-http or websocket (MCP_TRANSPORT)')
    .option('--port <port>', 'port to listen on, 0 for any free one (MCP_PORT; 8000)', toPort)
    .option('--host <address>', 'address to bind (MCP_HOST)')
    .option('--path <path>', 'URL path of the endpoint (MCP_PATH)')
    .option('--demo', 'call a synthetic server that the pack brings instead of the real API')
    .option('--debug', 'log more')
  withSpecOptions(api).action(async (source, words, flags) => {
    if (words[0]?.startsWith('-')) api.error(`error: unknown option '${words[0]}'`)
    await withDemo(source, flags, async (config, demo) => {
      if (words.length > 0) return runCommand(source, words, config)
      if (demo) process.stderr.write(`demo API with ${demo.contents} at ${demo.url}\n`)
      return serveApi(source, flags, config)
    })
  })

  withSpecOptions(api.command('inspect'))
    .description(
      'show the tools that a description becomes, their tokens, and what is dropped or renamed',
    )
    .argument('<spec>', 'name of an API pack, or file or URL of a description')
    .option('--json', 'print the report as JSON')
    .action(async (source, flags) => {
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
    .action(async (source, flags) => {
      const { createPack } = await import('../../upstreams/openapi/load/create-pack.ts')
      const { folder, name } = await createPack(source, flags)
      process.stderr.write(
        `Created ${folder}. Edit pack.yaml, then: portolan trust && portolan api ${name}\n`,
      )
    })
}

function withSpecOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--base-url <url>', 'address of the API, instead of the one in the description')
    .option('--include <pattern...>', 'operation ids, paths or tag:names to import')
    .option('--exclude <pattern...>', 'operation ids, paths or tag:names to leave out')
    .option('--bearer-env <name>', 'environment variable that holds a bearer token')
    .option('--read-only', 'import only operations that change nothing')
    .option('--allow-private', 'allow private and loopback addresses')
    .option('--external-refs', 'follow references to neighbouring files')
}

/** Does the work with the configuration of the flags, while a demo of the pack runs if they ask for it. */
async function withDemo(
  source: string,
  flags: ApiFlags,
  work: (config: Partial<ApiConfigInput>, demo?: ApiDemo) => Promise<void>,
): Promise<void> {
  const config = toConfig(flags)
  if (!flags.demo) return work(config)
  const start = (await extensionOf(source))?.demo
  if (!start) throw new InvalidArgumentError(`"${source}" has no demo. Leave out --demo.`)
  const demo = await start()
  try {
    await work({ ...config, baseUrl: demo.url, allowPrivate: true }, demo)
  } finally {
    await demo.close()
  }
}

async function extensionOf(source: string) {
  const { loadPack } = await import('../../upstreams/openapi/load/load-pack.ts')
  return (await loadPack(source, await packSources()))?.extension
}

async function packSources() {
  const [{ loadSettings }, { packFolderOf }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../config/trust/trust-of.ts'),
  ])
  const { home } = loadSettings({ env: withoutTransport(process.env) })
  return { home, folder: packFolderOf({ cwd: process.cwd(), env: process.env }) }
}

/** Runs a command of a pack. */
async function runCommand(
  source: string,
  words: readonly string[],
  config: Partial<ApiConfigInput>,
): Promise<void> {
  const command = (await extensionOf(source))?.command
  if (!command) throw new InvalidArgumentError(`"${source}" has no commands.`)
  const [{ loadApi }, { callApiTool }] = await Promise.all([
    import('../../upstreams/openapi/load/load-api.ts'),
    import('../../app/builtins/call-api-tool.ts'),
  ])
  const service = await loadApi(source, { ...(await packSources()), config })
  try {
    process.exitCode = await command(words, {
      call: async (tool, args) => callApiTool(service, tool, args),
    })
  } finally {
    await service.close()
  }
}

async function serveApi(
  source: string,
  flags: ApiFlags,
  config: Partial<ApiConfigInput>,
): Promise<void> {
  const transport = chooseTransport(flags, process.env, USUAL_PORT)
  const [{ loadApi }, { serveStandalone }, stop, { CallTally }] = await Promise.all([
    import('../../upstreams/openapi/load/load-api.ts'),
    import('../../app/builtins/serve-standalone.ts'),
    import('../shared/serve/until-stopped.ts'),
    import('../../app/builtins/open-service.ts'),
  ])
  const env = withoutTransport(process.env)
  const tally = new CallTally()
  const service = await loadApi(source, {
    ...(await packSources()),
    config,
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
