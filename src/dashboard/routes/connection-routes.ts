import { z } from 'zod'
import { asSeenByPerson } from '../../gateway/agents/on-behalf-of.ts'
import type { Upstream, UpstreamStatus } from '../../gateway/upstream.ts'
import { HttpError } from '../../http/http-error.ts'
import { EVERYBODY } from '../../identity/sign-ins/server.ts'
import {
  type VisitorPerson,
  beginSignIn,
  personBehind,
  signInOf,
} from '../connect/begin-sign-in.ts'
import type { Connection } from '../contract/access.ts'
import { text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

const KEY_NAME = /^[A-Za-z_]\w*$/

/** The visitor's own sign-ins and keys: no role lets a visitor see those of others. */
export function connectionRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /connections', {
      role: 'agent',
      async answer({ visitor }) {
        const who = await personBehind(visitor, sources)
        const names = connectable(sources).filter((name) => who.mayUse(name))
        return {
          connections: await Promise.all(names.map(async (name) => describe(name, who, sources))),
        }
      },
    }),
    defineRoute('POST /connections/:server/sign-in', {
      role: 'agent',
      async answer({ visitor, params: { server = '' }, request, setHeader }) {
        const signIn = await signInOf(visitor, server, sources)
        const { address, cookie } = await beginSignIn(signIn, request, sources)
        setHeader('set-cookie', cookie)
        return { address: address.href }
      },
    }),
    defineRoute('POST /connections/:server/sign-out', {
      role: 'agent',
      async answer({ visitor, params: { server = '' } }) {
        const signIn = await signInOf(visitor, server, sources)
        await signIn.signOut()
        recordChange(sources, visitor, 'connections.sign-out', { server })
        return { ok: true }
      },
    }),
    defineRoute('POST /connections/keys', {
      role: 'agent',
      body: z.object({ name: text, value: z.string().max(16_384) }),
      async answer({ visitor, body: { name = '', value = '' } }) {
        if (!KEY_NAME.test(name))
          throw new HttpError(400, 'INVALID_PARAMS', `'${name}' cannot be the name of a key`)
        const { person } = await personBehind(visitor, sources)
        const { keys } = sources.people
        if (value === '') await keys.remove(person, name)
        else await keys.set(person, name, value)
        const change = value === '' ? 'connections.remove-key' : 'connections.set-key'
        recordChange(sources, visitor, change, { name })
        return { ok: true }
      },
    }),
  ]
}

function connectable({ people, config }: Sources): string[] {
  return [...config.servers.values()]
    .filter((server) => server.enabled)
    .filter(({ name, ...server }) => people.signIns.servers.has(name) || keysOf(server).length > 0)
    .map(({ name }) => name)
}

function keysOf(server: object): readonly string[] {
  return 'userKeys' in server && Array.isArray(server.userKeys) ? server.userKeys : []
}

async function describe(
  name: string,
  { person }: VisitorPerson,
  { people, config, world }: Sources,
): Promise<Connection> {
  const { shared, canSignIn, signedInAt, usedAt, scope } = await describeSignIn(
    name,
    person,
    people,
  )
  const keys = await describeKeys(keysOf(config.servers.get(name) ?? {}), person, people.keys)
  const found = world.catalog.server(name)
  const upstream = found && asSeenByPerson(found, person)
  const isNeeded = keys.some(({ isSet }) => !isSet) || isAsked(upstream?.status)
  return {
    server: name,
    state: isNeeded ? 'needed' : signedInAt === undefined ? 'none' : 'signed-in',
    shared,
    canSignIn,
    signedInAt: toDate(signedInAt),
    usedAt: toDate(usedAt),
    scope: scope ?? null,
    waitingTools: isNeeded ? namesOf(upstream) : [],
    keys,
  }
}

async function describeSignIn(name: string, person: string, { signIns }: Sources['people']) {
  const server = signIns.servers.get(name)
  const nothing = { signedInAt: undefined, usedAt: undefined, scope: undefined }
  if (!server) return { ...nothing, shared: false, canSignIn: false }
  const shared = server.oauth.tokens === 'shared'
  const signIn = signIns.of(server, shared ? EVERYBODY : person)
  return { ...nothing, shared, canSignIn: signIn.isInteractive, ...(await signIn.describe()) }
}

async function describeKeys(
  wanted: readonly string[],
  person: string,
  keys: Sources['people']['keys'],
): Promise<Connection['keys']> {
  const known = wanted.length > 0 ? await keys.of(person) : {}
  return wanted.map((name) => ({ name, isSet: Boolean(known[name]) }))
}

function isAsked(status: UpstreamStatus | undefined): boolean {
  return status?.state === 'down' && status.isSignInNeeded === true
}

function namesOf(upstream: Upstream | undefined): string[] {
  return upstream?.listing.tools.map(({ name }) => name) ?? []
}

function toDate(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
}
