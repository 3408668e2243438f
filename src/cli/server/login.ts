import { setTimeout as wait } from 'node:timers/promises'
import { SecretValues } from '../../base/secret-values.ts'
import { loadConfig } from '../../config/load.ts'
import { createPeople, canSignIn, nameFor, toSignInServer } from '../../app/people.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { LOCAL_PERSON } from '../../gateway/on-behalf-of.ts'
import { openVault } from '../../identity/vault/open-vault.ts'
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
  if (!canSignIn(server))
    throw new GatewayError('INVALID_PARAMS', `'${name}' has an Authorization header of its own`, {
      hint: 'Remove the header from its entry to sign in instead.',
    })
  const vault = openVault(config.settings.home, process.env)
  const { signIns } = createPeople(vault, {
    secrets: new SecretValues(),
    onSignedIn: () => undefined,
  })
  const known = toSignInServer(server)
  signIns.adopt(new Map([[name, known]]))
  const signIn = signIns.of(known, nameFor(server, LOCAL_PERSON))
  const before = await signIn.generation()
  const address = await signIns.addressFor(signIn)
  line(`Server "${name}" asks you to sign in: ${address}\nWaiting for the browser…`)
  const until = Date.now() + flags.timeout
  while ((await signIn.generation()) === before) {
    if (Date.now() > until)
      throw new GatewayError('TIMEOUT', `Nobody signed in to '${name}' in time`, {
        hint: 'Run the command again; --timeout waits longer.',
      })
    await wait(LOOK_MS)
  }
  await signIns.close()
  line(`${paint('green', '✓')} Signed in to ${name}`)
  const gateway = await findGateway(config, process.env['PORTOLAN_KEY'])
  await gateway?.ask('POST', `/servers/${encodeURIComponent(name)}/restart`)
}
