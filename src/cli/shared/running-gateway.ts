import { z } from 'zod'
import { isObject } from '../../base/json/json.ts'
import { localOrigin } from '../../base/net/net.ts'
import type { Config } from '../../config/load.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { type LocalPasses, createLocalPasses } from '../../identity/local-passes.ts'
import { secretOf } from '../../identity/secret-file.ts'

const ANSWER_MS = 10_000

/** A `portolan serve` on this machine that runs with the same files. */
export interface RunningGateway {
  readonly url: string
  /** Calls the API of its dashboard. */
  readonly ask: (
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    timeoutMs?: number,
  ) => Promise<unknown>
}

const configAnswer = z.object({
  files: z.array(z.object({ kind: z.string(), path: z.string().nullable() })),
  settings: z.array(z.object({ path: z.string(), value: z.unknown() })),
})

/** Returns the gateway at the configured address, if it serves the same data folder and files. */
export async function findGateway(
  { settings, files }: Pick<Config, 'settings' | 'files'>,
  key: string | undefined,
): Promise<RunningGateway | undefined> {
  const gateway = await gatewayOf(settings, key)
  const answer = await gateway?.ask('GET', '/config').catch(() => undefined)
  const parsed = configAnswer.safeParse(answer)
  if (!parsed.success) return undefined
  const served = parsed.data
  const home = served.settings.find(({ path }) => path === 'home')?.value
  const isSame = (['mcp', 'rules', 'settings'] as const).every((kind) => {
    const theirs = served.files.filter((file) => file.kind === kind && file.path !== null)
    const own = files[kind].map(({ path }) => path)
    return theirs.length === own.length && theirs.every(({ path }) => own.includes(path ?? ''))
  })
  return isSame && home === settings.home ? gateway : undefined
}

/** Returns the gateway for a person's own actions; with a key, whatever files it serves. */
export async function findOwnGateway(
  config: Pick<Config, 'settings' | 'files'>,
  key: string | undefined,
): Promise<RunningGateway | undefined> {
  return key === undefined ? findGateway(config, key) : gatewayOf(config.settings, key)
}

async function gatewayOf(
  { listen, home }: Pick<Settings, 'listen' | 'home'>,
  key: string | undefined,
): Promise<RunningGateway | undefined> {
  if ((await runningVersion(listen)) === undefined) return undefined
  return gatewayAt(new URL(originOf(listen)), home, key)
}

/** The gateway at an address, as the admin of this key or as the person of this data folder. */
export function gatewayAt(address: URL, home: string, key: string | undefined): RunningGateway {
  const passes = passesOf(home)
  const port = portOf(address)
  return {
    url: address.origin,
    ask: async (method, path, body, timeoutMs) => {
      const credential = key ?? passes.issue('command', port)
      return askDashboard(address.origin, { method, path, credential, body, timeoutMs })
    },
  }
}

export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** The passes of whoever can read and write this data folder. */
export function passesOf(home: string): LocalPasses {
  return createLocalPasses(() => secretOf(identityFiles(home).localSecret))
}

/** Includes the address, because a gateway started with `--port` listens elsewhere. */
export function noGateway({ listen }: Pick<Settings, 'listen'>): string {
  return `No gateway with these files answers at ${originOf(listen)}`
}

/** Returns the version of the Portolan that listens there; undefined if none does. */
export async function runningVersion(listen: Settings['listen']): Promise<string | undefined> {
  try {
    const response = await fetch(`${originOf(listen)}/health`, {
      signal: AbortSignal.timeout(5_000),
    })
    const health: unknown = await response.json()
    return isObject(health) && health['service'] === 'portolan'
      ? String(health['version'])
      : undefined
  } catch {
    return undefined // Nothing answers, or it is not Portolan.
  }
}

function originOf({ host, port }: Settings['listen']): string {
  return localOrigin(host, port)
}

interface Question {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly credential: string
  readonly body?: object | undefined
  readonly timeoutMs?: number | undefined
}

async function askDashboard(
  url: string,
  { method, path, credential, body: sent = {}, timeoutMs = ANSWER_MS }: Question,
): Promise<unknown> {
  const response = await fetch(`${url}/api/dashboard${path}`, {
    method,
    headers: {
      accept: 'application/json',
      // A page of another site cannot send it: see dashboard/access/same-site.ts.
      'x-portolan-dashboard': '1',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      authorization: `Bearer ${credential}`,
    },
    ...(method === 'POST' && { body: JSON.stringify(sent) }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const body: unknown = await response.json()
  if (response.ok) return body
  const said = isObject(body) && isObject(body['error']) ? body['error']['message'] : undefined
  throw new GatewayError(
    'SERVER_UNAVAILABLE',
    `${url}: ${typeof said === 'string' ? said : response.status}`,
    {
      hint: response.status === 401 ? 'Set PORTOLAN_KEY to the key of an admin.' : undefined,
    },
  )
}
