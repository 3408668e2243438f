import type { Command, OptionValues } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { App } from '../../app/app.ts'
import { VERSION } from '../../base/version.ts'
import { formerNames } from '../../config/settings/former-names.ts'
import type { SettingsInput } from '../../config/settings/settings.ts'
import { SURFACE_NAMES, type SurfaceName, isSurfaceName } from '../../gateway/request.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../shared/config-options.ts'
import { toPort } from '../shared/serve/choose-transport.ts'
import { createLog } from '../../telemetry/log.ts'
import { keepServing } from '../shared/serve/keep-serving.ts'
import { untilStopped } from '../shared/serve/until-stopped.ts'

interface ServeFlags extends ConfigOptions {
  readonly port?: number
  readonly host?: string
  readonly surface?: SurfaceName
  readonly debug?: true
  readonly logFormat?: 'text' | 'json'
}

export function registerServe(program: Command): void {
  const serve = program.command('serve').description('serve the gateway over HTTP')
  withConfigOptions(withRunOptions(serve))
    .option('--port <port>', 'port to listen on, 0 for any free one', toPort)
    .option('--host <address>', 'address to bind')
    .action(async (flags) => {
      const { openApp } = await import('../shared/open-app.ts')
      await overHttp(await openApp(toLoad(flags), flags), flags)
    })
}

/** `portolan` without a command: serves its client on stdio, or HTTP by `listen.transport`. */
export function registerStdio(program: Command): void {
  withConfigOptions(withRunOptions(program)).action(async (flags) => {
    if (process.stdin.isTTY && !(await servesHttp(flags))) return introduce()
    const { openApp } = await import('../shared/open-app.ts')
    const app = await openApp(toLoad(flags), flags)
    const isHttp = app.config.settings.listen.transport === 'http'
    await (isHttp ? overHttp(app, flags) : overStdio(app, flags))
  })
}

async function servesHttp(flags: ServeFlags): Promise<boolean> {
  const { loadParts } = await import('../../config/load.ts')
  return loadParts(toLoad(flags)).settings.value?.listen.transport === 'http'
}

/** Prints help if a person runs `portolan`, as MCP on a terminal would seem to hang. */
function introduce(): void {
  process.stdout.write(`Portolan ${VERSION}: one MCP endpoint for AI agents.

  portolan init      set up this folder and connect your MCP clients
  portolan demo      show what it does, with sample servers
  portolan serve     serve the gateway and its dashboard over HTTP
  portolan doctor    check the configuration and every server
  portolan --help    list all commands and options

Without a command it speaks MCP on stdin and stdout, for the MCP client that starts it.
`)
}

async function overHttp(app: App, { surface, debug, logFormat }: ServeFlags): Promise<void> {
  const [{ serveHttp }, { httpOrigin }] = await Promise.all([
    import('../../app/serve.ts'),
    import('../../base/net/net.ts'),
  ])
  const server = await serveHttp(app, { surface }).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  const { host, path } = app.config.settings.listen
  const url = httpOrigin(host, server.port)
  // Installed before the address is printed, so that an early signal does not end the process.
  const stopped = untilStopped(async () => void (await app.reload()))
  process.stderr.write(
    `portolan listening on ${url}\n` +
      `Dashboard:         ${url}/  (portolan dashboard opens it signed in)\n` +
      `Connect a client:  claude mcp add --transport http portolan ${url}${path}\n` +
      `or in its JSON:    {"mcpServers": {"portolan": {"type": "http", "url": "${url}${path}"}}}\n`,
  )
  for (const line of formerNames(process.env)) process.stderr.write(`${line}\n`)
  await stayAlive(app, { debug, format: logFormat ?? 'text' })
  app.warm()
  await stopped
  await app.leave(server)
  process.exit(0)
}

async function overStdio(app: App, { surface, debug, logFormat }: ServeFlags): Promise<void> {
  const { serveStdio } = await import('../../fronts/stdio.ts')
  const { listen } = app.config.settings
  const front = serveStdio({
    backend: app.backend,
    arrival: {
      transport: 'stdio',
      credential: process.env['PORTOLAN_KEY'],
      claimedAgent: undefined,
      headers: {},
      surface,
      projectPath: undefined,
      alone: true,
    },
    maxFrameBytes: listen.maxBodyBytes,
    input: process.stdin,
    output: process.stdout,
  })
  await stayAlive(app, { debug, format: logFormat ?? 'text' })
  await Promise.race([front.ended, untilStopped(async () => void (await app.reload()))])
  await app.leave(front)
  process.exit(0)
}

/** Keeps the process alive after an unhandled error; only a blocked event loop ends it. */
async function stayAlive(
  app: App,
  { debug, format }: { debug?: true | undefined; format: 'text' | 'json' },
): Promise<void> {
  const log = createLog({ format, level: debug ? 'debug' : 'info' })
  keepServing(log)
  const { startWatchdog } = await import('../../app/health/watchdog.ts')
  startWatchdog({ ...app.config.settings.watchdog, format }, log)
}

function withRunOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--surface <name>', 'what clients see: auto, discover, direct or scripts', toSurface)
    .option('--debug', 'log more, and report more in get_gateway_status')
    .option('--log-format <format>', 'text or json', toLogFormat)
}

function toLoad(flags: ServeFlags) {
  const listen = {
    ...(flags.port !== undefined && { port: flags.port }),
    ...(flags.host !== undefined && { host: flags.host }),
  }
  const overrides: SettingsInput = {
    ...(Object.keys(listen).length > 0 && { listen }),
    ...(flags.debug && { debug: true }),
  }
  const options = toLoadOptions(flags)
  return { ...options, flags: { ...options.flags, overrides } }
}

function toSurface(text: string): SurfaceName {
  if (isSurfaceName(text)) return text
  throw new InvalidArgumentError(`It must be one of ${SURFACE_NAMES.join(', ')}.`)
}

function toLogFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new InvalidArgumentError('It must be text or json.')
}
