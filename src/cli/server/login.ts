import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { createOAuth } from '../../upstreams/oauth/oauth.ts'
import { createTokenStore } from '../../upstreams/oauth/token-store.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { findGateway } from '../shared/running-gateway.ts'
import { createTerminal } from '../shared/terminal.ts'
import { configured } from './run-server.ts'

const LOOK_MS = 300

/** Stays until the browser has come back, because the page it comes back to is served by this process. */
export async function login(
  name: string,
  flags: ConfigOptions & { readonly timeout: number },
): Promise<void> {
  const { line, paint } = createTerminal()
  const config = loadConfig(toLoadOptions(flags))
  const server = configured(name, config)
  if (server.kind !== 'http')
    throw new GatewayError('INVALID_PARAMS', `'${name}' is not a remote server`, {
      hint: 'Only a server with a url is signed in to; a program takes its key from `env`.',
    })
  const store = createTokenStore(join(config.settings.home, 'oauth'), server.url)
  const before = (await store.read()).tokens?.access_token
  const credentials = createOAuth({
    server: name,
    url: server.url,
    store,
    notify: (text) => line(`${text}\nWaiting for the browser…`),
  })
  const until = Date.now() + flags.timeout
  await credentials.header()
  await credentials.refused(undefined).catch((error: unknown) => {
    // That somebody has to sign in is why we are here; anything else is the end.
    const isWaiting = error instanceof GatewayError && error.details.cause === undefined
    if (!isWaiting) throw error
  })
  while ((await store.read()).tokens?.access_token === before) {
    if (Date.now() > until)
      throw new GatewayError('TIMEOUT', `Nobody signed in to '${name}' in time`, {
        hint: 'Run the command again; --timeout waits longer.',
      })
    await wait(LOOK_MS)
  }
  line(`${paint('green', '✓')} Signed in to ${name}`)
  const gateway = await findGateway(config, process.env['PORTOLAN_KEY'])
  await gateway?.ask('POST', `/servers/${encodeURIComponent(name)}/restart`)
}
