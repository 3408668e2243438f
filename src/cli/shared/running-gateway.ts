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
  /** Undefined for one in the background, which has no MCP endpoint over HTTP. */
  readonly url: string | undefined
  /** Its address, or what it is, in a sentence. */
  readonly name: string
  /** Where its pages are; one in the background opens them now. */
  readonly pages: () => Promise<string>
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
  return (
    (await withSameFiles(await gatewayOf(settings, key), { settings, files })) ??
    withSameFiles(await backgroundGateway(settings), { settings, files })
  )
}

/** A gateway in the background has the person's own files; those of a folder come with its clients. */
async function withSameFiles(
  gateway: RunningGateway | undefined,
  { settings, files }: Pick<Config, 'settings' | 'files'>,
): Promise<RunningGateway | undefined> {
  const answer = await gateway?.ask('GET', '/config').catch(() => undefined)
  const parsed = configAnswer.safeParse(answer)
  if (!parsed.success) return undefined
  const served = parsed.data
  const home = served.settings.find(({ path }) => path === 'home')?.value
  const isSame = (['mcp', 'rules', 'settings'] as const).every((kind) => {
    const theirs = served.files.filter((file) => file.kind === kind && file.path !== null)
    const own = files[kind].map(({ path }) => path)
    const isWhole = theirs.length === own.length || gateway?.url === undefined
    return isWhole && theirs.every(({ path }) => own.includes(path ?? ''))
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
    name: `the gateway at ${address.origin}`,
    pages: async () => address.origin,
    ask: async (method, path, body, timeoutMs) => {
      const credential = key ?? passes.issue('command', port)
      return askDashboard(address.origin, { method, path, credential, body, timeoutMs })
    },
  }
}

export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

const BACKGROUND = 'the gateway in the background'

/** Returns the gateway that the person's clients over stdio share, if it runs in the background. */
async function backgroundGateway({
  home,
}: Pick<Settings, 'home'>): Promise<RunningGateway | undefined> {
  const [{ askGateway }, { openRunFolder }] = await Promise.all([
    import('../../local/connect.ts'),
    import('../../local/run-folder.ts'),
  ])
  try {
    const run = openRunFolder(home, process.env)
    const found = await askGateway(run, 'ping')
    if (found?.kind !== 'background') return undefined
    return {
      url: undefined,
      name: BACKGROUND,
      pages: async () =>
        new URL(String((await askGateway(run, 'dashboard'))?.answer['url'])).origin,
      async ask(method, path, body = {}) {
        const { status, value } =
          (await askGateway(run, 'pages', { method, path, body }))?.answer ?? {}
        if (status === 200) return value
        throw refusal(BACKGROUND, Number(status), value)
      },
    }
  } catch {
    return undefined // Others may write in its folder, or it speaks another version.
  }
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
  throw refusal(url, response.status, body)
}

function refusal(who: string, status: number, body: unknown): GatewayError {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {}
  const { message, hint } = error
  return new GatewayError(
    'SERVER_UNAVAILABLE',
    `${who}: ${typeof message === 'string' ? message : status}`,
    {
      hint: status === 401 ? 'Set PORTOLAN_KEY to the key of an admin.' : textOf(hint),
    },
  )
}

function textOf(hint: unknown): string | undefined {
  return typeof hint === 'string' ? hint : undefined
}
