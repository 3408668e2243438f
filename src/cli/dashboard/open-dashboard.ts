import { messageOf } from '../../base/errors.ts'
import { openBrowser } from '../../base/open-browser.ts'
import { isLoopback } from '../../base/net/net.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { findGateway, gatewayAt, noGateway, passesOf, portOf } from '../shared/running-gateway.ts'
import { withStoredConfig } from '../shared/with-database.ts'

export interface DashboardFlags extends ConfigOptions {
  readonly url?: string
  /** `--no-browser`. */
  readonly browser: boolean
}

/** Opens the dashboard in the browser by a link that signs it in once; always prints the link. */
export async function openDashboard(flags: DashboardFlags): Promise<void> {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const address = await (flags.url === undefined ? findOwn(config) : checked(flags.url, config))
  const link = passesOf(config.settings.home).issue('link', portOf(address))
  const page = new URL(`/#open=${link}`, address).href
  process.stderr.write(
    'This link opens the dashboard signed in; it works once, for five minutes:\n',
  )
  process.stdout.write(`${page}\n`)
  if (flags.browser && process.stdout.isTTY) await openBrowser(page)
}

async function findOwn(config: Config): Promise<URL> {
  const { settings } = config
  const gateway = await findGateway(config, undefined)
  if (gateway?.url !== undefined) return new URL(gateway.url)
  const why = await sharedPages(settings).catch(messageOf)
  if (why instanceof URL) return why
  throw new GatewayError('SERVER_UNAVAILABLE', `${noGateway(settings)}, and ${why}`, {
    hint: 'Start one with `portolan serve`, or name the address of another with --url.',
  })
}

/** Has the gateway that clients over stdio share open its pages; starts it if none runs. */
async function sharedPages({ home, shared }: Config['settings']): Promise<URL | string> {
  if (!shared.enabled) return 'shared.enabled is false'
  const [{ askGateway }, { startOnce }, { openRunFolder }] = await Promise.all([
    import('../../local/connect.ts'),
    import('../../local/join.ts'),
    import('../../local/run-folder.ts'),
  ])
  const run = openRunFolder(home, process.env)
  const ask = async () => (await askGateway(run, 'dashboard'))?.answer['url']
  let url = await ask()
  if (url === undefined) {
    await startOnce(run, home, process.env)
    url = await ask()
  }
  return typeof url === 'string' ? new URL(url) : 'the gateway in the background shows no pages'
}

/** Only this machine shares the data folder, and a link sent elsewhere would be seen on the way. */
async function checked(url: string, { settings }: Config): Promise<URL> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !isLoopback(address.hostname))
    throw new GatewayError('INVALID_PARAMS', `'${url}' is not an address of this machine`, {
      hint: 'Give the address that `portolan serve` prints, such as http://127.0.0.1:7411. A gateway elsewhere asks for the key of an admin.',
    })
  await gatewayAt(address, settings.home, undefined)
    .ask('GET', '/me')
    .catch((cause: unknown) => {
      throw new GatewayError(
        'SERVER_UNAVAILABLE',
        `No gateway with the data folder ${settings.home} answers at ${address.origin}`,
        { hint: 'Set PORTOLAN_HOME to the data folder with which the gateway was started.', cause },
      )
    })
  return address
}
