import { vi } from 'vitest'
import type { Upstream } from '../../src/gateway/upstream.ts'
import type { StoredListing } from '../../src/upstreams/listing/listing-store.ts'
import type { SupervisedOptions } from '../../src/upstreams/supervised-options.ts'
import { Supervised } from '../../src/upstreams/supervised.ts'
import { aClient, anUpstream } from './a-call.ts'
import { type TestLink, aLink, connecting } from './a-link.ts'

export const settled = async () => vi.advanceTimersByTimeAsync(0)

export const TOOLS = { 'tools/list': () => ({ tools: [{ name: 'echo' }] }) }

type Make = Parameters<typeof connecting>[0]

/** A start that only ends when it is aborted. */
export const starting: Make = async ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('given up')), { once: true })
  })

/** A server `a` whose connections come from the test. */
export function aServer(
  make: Make = () => aLink({}, TOOLS),
  parts: Partial<SupervisedOptions> = {},
) {
  const { connect, opened } = connecting(make)
  const saved: StoredListing[] = []
  const logged: string[] = []
  const server = new Supervised({
    name: 'a',
    kind: 'stdio',
    description: 'about',
    connect,
    eras: { legacy: true, modern: false },
    session: 'auto',
    maxConnections: 4,
    releaseMs: 60_000,
    store: { load: () => undefined, save: (remembered) => saved.push(remembered) },
    connectMs: 5_000,
    backoffMs: { min: 100, max: 1_000 },
    drainMs: 2_000,
    idleMs: undefined,
    project: async () => ({ path: '/', source: 'cwd' }),
    log: (line) => logged.push(line),
    ...parts,
  })
  const ask = async (
    method = 'tools/call',
    { client = aClient(), signal = new AbortController().signal } = {},
  ) => server.request(method, { name: 'echo' }, { signal, client, agent: undefined })
  return { server, opened, saved, logged, ask }
}

export const methods = (link: TestLink | undefined) => link?.sent.map(({ method }) => method)

export const successor = (said: string[] = []): Upstream =>
  anUpstream({
    name: 'a',
    request: async (method) => (said.push(method), { by: 'successor' }),
    list: async () => ({ ...anUpstream().listing, instructions: 'new' }),
    watch: async (uri) => (said.push(uri), () => void said.push(`un ${uri}`)),
  })

export async function started() {
  const one = aServer()
  await one.ask()
  await settled()
  const notified: string[] = []
  one.server.onNotification((method) => notified.push(method))
  const [{ events, link } = {}] = one.opened
  if (!events || !link) throw new Error('not opened')
  return { ...one, notified, events, link }
}

export const inSession = (session: string) => ({ client: aClient({ session }) })

export const calls = (link: TestLink | undefined, name: string) =>
  link?.sent.filter(({ method }) => method === name) ?? []
