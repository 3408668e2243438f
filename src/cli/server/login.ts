import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import {
  canSignIn,
  createPeople,
  nameFor,
  signInServers,
  toSignInServer,
} from '../../app/upstreams/people.ts'
import type { HttpServer } from '../../config/servers/servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { LOCAL_PERSON } from '../../gateway/agents/on-behalf-of.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { openBrowser } from '../../base/open-browser.ts'
import { type RunningGateway, findOwnGateway } from '../shared/running-gateway.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { configured } from './run-server.ts'

const LOOK_MS = 300

export interface LoginFlags extends ConfigOptions {
  readonly timeout: number
  /** `--no-browser`. */
  readonly browser: boolean
}

/** A sign-in that this command waits for. */
interface Waiting {
  readonly address: string
  isDone(): Promise<boolean>
  close(): Promise<void>
}

/** Shows where to sign in, opens the browser there, and waits until the person has signed in. */
export async function login(name: string, flags: LoginFlags): Promise<void> {
  const { line, paint } = createTerminal()
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const server = signInServer(name, config)
  const gateway = await findOwnGateway(config, process.env['PORTOLAN_KEY'])
  const waiting = gateway ? await atGateway(name, gateway) : await here(server, config)
  line(`Server "${name}" asks you to sign in: ${waiting.address}\nWaiting for the browser…`)
  if (flags.browser && process.stdout.isTTY) await openBrowser(waiting.address)
  const until = Date.now() + flags.timeout
  try {
    while (!(await waiting.isDone())) {
      if (Date.now() > until)
        throw new GatewayError('TIMEOUT', `Nobody signed in to '${name}' in time`, {
          hint: 'Run the command again; --timeout waits longer.',
        })
      await wait(LOOK_MS)
    }
  } finally {
    await waiting.close()
  }
  line(`${paint('green', '✓')} Signed in to ${name}`)
  if (!gateway) return
  const { describeServers } = await import('../shared/report/report-running.ts')
  for (const text of await describeServers(gateway, name)) line(text)
}

function signInServer(name: string, config: Config): HttpServer {
  const server = configured(name, config)
  if (server.kind !== 'http')
    throw new GatewayError('INVALID_PARAMS', `'${name}' is not a remote server`, {
      hint: 'Only a server with a url is signed in to; a program takes its key from `env`.',
    })
  if (!canSignIn(server))
    throw new GatewayError('INVALID_PARAMS', `'${name}' has an Authorization header of its own`, {
      hint: 'Remove the header from its entry to sign in instead.',
    })
  return server
}

const connectionsAnswer = z.object({
  connections: z.array(z.object({ server: z.string(), signedInAt: z.string().nullable() })),
})

/** Signs in the person behind PORTOLAN_KEY at the running gateway, to which the browser returns. */
async function atGateway(name: string, gateway: RunningGateway): Promise<Waiting> {
  const since = async () => {
    const { connections } = connectionsAnswer.parse(await gateway.ask('GET', '/connections'))
    return connections.find(({ server }) => server === name)?.signedInAt ?? null
  }
  const before = await since()
  return {
    address: `${await gateway.pages()}/connect/start/${encodeURIComponent(name)}`,
    isDone: async () => (await since()) !== before,
    close: async () => undefined,
  }
}

/** Signs in with this process, which serves the page that the browser returns to. */
async function here(server: HttpServer, { settings, servers }: Config): Promise<Waiting> {
  const { signIns } = createPeople(openVault(settings.home, process.env), {
    secrets: new SecretValues(),
    onSignedIn: () => undefined,
  })
  const known = toSignInServer(server)
  signIns.adopt(signInServers(servers.values()))
  const signIn = signIns.of(known, nameFor(server, LOCAL_PERSON))
  const before = await signIn.generation()
  return {
    address: await signIns.addressFor(signIn),
    isDone: async () => (await signIn.generation()) !== before,
    close: async () => signIns.close(),
  }
}
