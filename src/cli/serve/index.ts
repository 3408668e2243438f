import type { Command, OptionValues } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { VERSION } from '../../base/version.ts'
import { SURFACE_NAMES, type SurfaceName, isSurfaceName } from '../../gateway/request.ts'
import { withConfigOptions } from '../shared/config-options.ts'
import { toPort } from '../shared/serve/choose-transport.ts'
import type { ServeFlags } from './serve-flags.ts'
import { toLoad } from './to-load.ts'

export function registerServe(program: Command): void {
  const serve = program.command('serve').description('serve the gateway over HTTP')
  withConfigOptions(withRunOptions(serve))
    .option('--port <port>', 'port to listen on, 0 for any free one', toPort)
    .option('--host <address>', 'address to bind')
    .action(async (flags) => {
      const { overHttp } = await import('./over-http.ts')
      await overHttp(flags)
    })
}

/**
 * `portolan` without a command: serves its client on stdio, or HTTP by `listen.transport`. `reason`
 * is why it cannot join the person's gateway, if that was tried before.
 */
export function registerStdio(program: Command, reason?: string): void {
  withConfigOptions(withRunOptions(program)).action(async (flags) => {
    const settings = await settingsOf(flags)
    const isHttp = settings?.listen.transport === 'http'
    if (process.stdin.isTTY && !isHttp) return introduce()
    if (isHttp) return (await import('./over-http.ts')).overHttp(flags)
    if (reason === undefined) {
      const { joinOrSay } = await import('./join-or-say.ts')
      await joinOrSay(flags, settings)
    }
    const [{ openApp }, { overStdio }] = await Promise.all([
      import('../shared/open-app.ts'),
      import('./over-stdio.ts'),
    ])
    await overStdio(await openApp(toLoad(flags), flags), flags)
  })
}

async function settingsOf(flags: ServeFlags) {
  const { loadParts } = await import('../../config/load.ts')
  return loadParts(toLoad(flags)).settings.value
}

/** Prints help if a person runs `portolan`, as MCP on a terminal would seem to hang. */
function introduce(): void {
  process.stdout.write(`Portolan ${VERSION}: one MCP endpoint for AI agents.

  portolan init      set up this folder and connect your MCP clients
  portolan demo      show what it does, with sample servers
  portolan serve     serve the gateway and its dashboard over HTTP
  portolan status    show the gateway that your MCP clients share
  portolan doctor    check the configuration and every server
  portolan --help    list all commands and options

Without a command it speaks MCP on stdin and stdout, for the MCP client that starts it.
`)
}

export function withRunOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('--surface <name>', 'what clients see: auto, discover, direct or scripts', toSurface)
    .option('--toolset <name>', 'show the tools of this toolset, and no others')
    .option('--alone', 'share this gateway with no client over stdio')
    .option('--debug', 'log more, and report more in get_gateway_status')
    .option('--log-format <format>', 'text or json', toLogFormat)
}

function toSurface(text: string): SurfaceName {
  if (isSurfaceName(text)) return text
  throw new InvalidArgumentError(`It must be one of ${SURFACE_NAMES.join(', ')}.`)
}

function toLogFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new InvalidArgumentError('It must be text or json.')
}
