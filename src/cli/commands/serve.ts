import { type Command, InvalidArgumentError } from 'commander'
import type { SettingsInput } from '../../config/settings.ts'
import type { SurfaceName } from '../../gateway/request.ts'
import { type ConfigOptions, toLoadOptions, withConfigOptions } from '../config-options.ts'
import { createLog } from '../../telemetry/log.ts'
import { keepServing } from '../keep-serving.ts'
import { untilStopped } from '../until-stopped.ts'

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
    .action(async (flags: ServeFlags) => {
      const [{ openApp }, { addressOf, serveHttp }] = await Promise.all([
        import('../open-app.ts'),
        import('../../app/serve.ts'),
      ])
      const app = await openApp(toLoad(flags), flags)
      const server = await serveHttp(app, { surface: flags.surface }).catch(
        async (error: unknown) => {
          await app.close()
          throw error
        },
      )
      const { host, path } = app.config.settings.listen
      const url = addressOf(host, server.port)
      process.stderr.write(
        `portolan listening on ${url}\n` +
          `Dashboard:         ${url}/\n` +
          `Connect a client:  claude mcp add --transport http portolan ${url}${path}\n` +
          `or in its JSON:    {"mcpServers": {"portolan": {"type": "http", "url": "${url}${path}"}}}\n`,
      )
      keepServing(createLog({ format: flags.logFormat ?? 'text' }))
      app.warm()
      await untilStopped(async () => void (await app.reload()))
      await app.leave(server)
      process.exit(0)
    })
}

/** `portolan` without a command: the gateway of the one client that starts it. */
export function registerStdio(program: Command): void {
  withConfigOptions(withRunOptions(program)).action(async (flags: ServeFlags) => {
    const [{ openApp }, { serveStdio }] = await Promise.all([
      import('../open-app.ts'),
      import('../../fronts/stdio.ts'),
    ])
    const app = await openApp(toLoad(flags), flags)
    const front = serveStdio({
      backend: app.backend,
      arrival: {
        transport: 'stdio',
        credential: process.env['PORTOLAN_KEY'],
        claimedAgent: undefined,
        headers: {},
        surface: flags.surface,
        projectPath: undefined,
        alone: true,
      },
      maxFrameBytes: app.config.settings.listen.maxBodyBytes,
      input: process.stdin,
      output: process.stdout,
    })
    keepServing(createLog({ format: flags.logFormat ?? 'text' }))
    await Promise.race([front.ended, untilStopped(async () => void (await app.reload()))])
    await app.leave(front)
    process.exit(0)
  })
}

function withRunOptions(command: Command): Command {
  return command
    .option('--surface <name>', 'what clients see: auto, discover or direct', toSurface)
    .option('--debug', 'log more, and tell more in get_gateway_status')
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

function toPort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.')
}

function toSurface(text: string): SurfaceName {
  if (text === 'auto' || text === 'discover' || text === 'direct') return text
  throw new InvalidArgumentError('It must be auto, discover or direct.')
}

function toLogFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new InvalidArgumentError('It must be text or json.')
}
