import { createServer } from 'node:net'
import type { Settings } from '../../config/settings/settings.ts'
import type { Environment } from '../../base/environment.ts'
import { messageOf } from '../../base/errors.ts'
import { isLoopback } from '../../base/net/net.ts'
import { createAgent, proxiesFrom } from '../../base/net/proxy.ts'
import { createFileKeyStore } from '../../identity/file-key-store.ts'
import { signInMode } from '../../identity/incoming/sign-in-mode.ts'
import { credentialRequired } from '../../identity/credential-required.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { runningVersion } from '../shared/running-gateway.ts'
import { withDatabase } from '../shared/with-database.ts'
import { type Finding, findings, reasonOf } from './finding.ts'

/** Checks whether `portolan serve` could listen, or already does. */
export async function checkPort({ listen }: Settings): Promise<Finding> {
  const { ok, warn, fail } = findings('port')
  const place = `${listen.host}:${listen.port}`
  const error = await tryToListen(listen.host, listen.port)
  if (!error) return ok(`${place} is free`)
  if (error.code !== 'EADDRINUSE')
    return fail(
      `${place}: ${reasonOf(error)}`,
      'Choose another listen.port or listen.host in portolan.yaml.',
    )
  const version = await runningVersion(listen)
  if (version !== undefined) return ok(`${place}: Portolan ${version} is running`)
  return warn(
    `${place} is in use by another program`,
    'Only `portolan serve` needs it: use --port, or listen.port in portolan.yaml.',
  )
}

async function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

/** Checks that callers must authenticate unless the gateway listens on loopback only. */
export async function checkKeys({ home, listen, auth }: Settings): Promise<Finding> {
  const { ok, fail } = findings('keys')
  const keys = await withDatabase(process.env, async (database) =>
    (database?.keys(1) ?? createFileKeyStore(identityFiles(home).keys)).list(),
  )
  const now = Date.now()
  const valid = keys.filter(
    ({ revokedAt, expiresAt }) => revokedAt === undefined && (expiresAt ?? Infinity) > now,
  )
  const summary = `${valid.length} of ${keys.length} keys are valid${auth.jwt ? ', tokens are accepted' : ''}`
  const { host, publicUrl } = listen
  const isNeeded = credentialRequired({ required: auth.required, host, publicUrl })
  const needsKey = isNeeded({ transport: 'http', credential: undefined, claimedAgent: undefined })
  const isOpen = !isLoopback(host)
  if (!needsKey && isOpen)
    return fail(
      `auth.required is false on ${host}`,
      'Remove it: anybody who reaches the port could call any tool.',
    )
  if (!needsKey) return ok(`${summary}; none is needed on ${host}`)
  if (valid.length > 0 || auth.jwt) return ok(summary)
  if (signInMode({ listen, auth }) !== undefined)
    return ok(`${summary}; people sign in with their accounts`)
  const why = isOpen ? `${host} is open to the network` : 'Clients need a key'
  return fail(`${why}, and there is no key`, 'portolan keys create <agent>')
}

/** Checks the proxy that the environment names, if any. */
export async function checkProxy(env: Environment): Promise<Finding[]> {
  const { ok, fail } = findings('proxy')
  const proxies = proxiesFrom(env)
  if (!proxies) return []
  try {
    createAgent(await import('undici'), {}, env)
  } catch (error) {
    return [fail(messageOf(error), 'Correct the variable, or unset it.')]
  }
  const named = [proxies.httpProxy, proxies.httpsProxy].filter((proxy) => proxy !== '')
  const hosts = [...new Set(named.map((proxy) => new URL(proxy).host))]
  return [ok(`other machines are reached through ${hosts.join(' and ')}, except those in NO_PROXY`)]
}
