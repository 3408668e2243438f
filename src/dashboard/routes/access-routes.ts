import { z } from 'zod'
import { isAgentId } from '../../gateway/agents/agent-id.ts'
import { HttpError } from '../../http/http-error.ts'
import { accountIdOf } from '../../identity/incoming/accounts/accounts.ts'
import type { SignedIn } from '../../identity/incoming/sessions/session-list.ts'
import { SESSION_PREFIX } from '../../identity/incoming/tokens/token-prefixes.ts'
import { type Key, isGoodKey } from '../../identity/key-store.ts'
import { ROLES } from '../../identity/role.ts'
import type { Visitor } from '../access/visitor.ts'
import type { AccessKey, Session } from '../contract/access.ts'
import { text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 3_650

/** Keys and sessions: the visitor's own or, for an admin, everybody's. */
export function accessRoutes(sources: Sources): Route[] {
  return [...keyRoutes(sources), ...sessionRoutes(sources)]
}

function keyRoutes(sources: Sources): Route[] {
  const { keys } = sources
  const visibleTo = async ({ role, via, actAs }: Visitor) => {
    const all = await keys.list()
    if (role === 'admin') return all
    // Tokens and handles are given to clients and sub-agents for calling tools only.
    return via === 'token' ? [] : all.filter(({ agent }) => agent === actAs[0])
  }
  return [
    defineRoute('GET /keys', {
      role: 'agent',
      answer: async ({ visitor }) => ({
        keys: (await visibleTo(visitor))
          .toSorted((one, other) => other.createdAt - one.createdAt)
          .map(toAccessKey),
      }),
    }),
    defineRoute('POST /keys', {
      role: 'admin',
      body: z.object({
        agent: text,
        role: z.enum(ROLES),
        days: z.number().int().min(1).max(MAX_DAYS).optional(),
      }),
      async answer({ visitor, body: { agent = '', role, days } }) {
        if (!isAgentId(agent))
          throw new HttpError(
            400,
            'INVALID_AGENT_ID',
            `'${agent}' is not an agent id`,
            'Agent ids are made of letters, digits, "_", "." and "-".',
          )
        const expiresAt = days === undefined ? undefined : Date.now() + days * DAY_MS
        const { key, secret } = await keys.create(agent, { role, expiresAt })
        recordChange(sources, visitor, 'keys.create', { key: key.id, agent, role, days })
        return { key: toAccessKey(key), secret }
      },
    }),
    defineRoute('POST /keys/:key/revoke', {
      role: 'agent',
      async answer({ visitor, params: { key: id = '' } }) {
        const isVisible = (await visibleTo(visitor)).some((key) => key.id === id)
        if (!isVisible || !(await keys.revoke(id)))
          throw new HttpError(404, 'NOT_FOUND', `There is no key '${id}', or it is not yours`)
        recordChange(sources, visitor, 'keys.revoke', { key: id })
        return { ok: true }
      },
    }),
  ]
}

function toAccessKey(key: Key): AccessKey {
  const { id, agent, role = 'agent', createdAt, expiresAt, revokedAt } = key
  const isOver = revokedAt === undefined ? 'expired' : 'revoked'
  return {
    id,
    agent,
    role,
    state: isGoodKey(key) ? 'good' : isOver,
    createdAt: toDate(createdAt),
    expiresAt: expiresAt === undefined ? null : toDate(expiresAt),
    revokedAt: revokedAt === undefined ? null : toDate(revokedAt),
  }
}

/** The account of a visitor, and the session of the request. */
interface Own {
  readonly accountId: string | undefined
  readonly sessionId: string | undefined
}

function sessionRoutes(sources: Sources): Route[] {
  const { signIn, keys } = sources
  const people = signIn?.people

  async function ownOf({ caller: { credential = '' } }: Visitor): Promise<Own> {
    if (people && credential.startsWith(SESSION_PREFIX)) {
      const { accountId, id } = await people.dashboard.describe(credential)
      return { accountId, sessionId: `dashboard.${id}` }
    }
    const key = await keys.find(credential)
    const accountId = key && accountIdOf({ agent: key.agent, key: key.id, source: 'key' })
    return { accountId, sessionId: undefined }
  }

  return [
    defineRoute('GET /sessions', {
      role: 'agent',
      async answer({ visitor }) {
        if (!people) return { sessions: null }
        const { accountId, sessionId } = await ownOf(visitor)
        // The empty id matches no account: a visitor without an account sees no sessions.
        const wanted = visitor.role === 'admin' ? undefined : (accountId ?? '')
        const found = await (await people.sessions()).list(wanted)
        return { sessions: found.map((each) => toSession(each, sessionId)) }
      },
    }),
    defineRoute('POST /sessions/:session/end', {
      role: 'agent',
      async answer({ visitor, params: { session = '' } }) {
        const { accountId } = await ownOf(visitor)
        const wanted = visitor.role === 'admin' ? undefined : (accountId ?? '')
        const isEnded = await (await people?.sessions())?.end(session, wanted)
        if (!isEnded)
          throw new HttpError(404, 'NOT_FOUND', 'There is no such session, or it is not yours')
        recordChange(sources, visitor, 'sessions.end', { session })
        return { ok: true }
      },
    }),
  ]
}

function toSession(
  { id, kind, account, name, createdAt, expiresAt }: SignedIn,
  current: string | undefined,
): Session {
  return {
    id,
    kind,
    who: account.agent,
    via: account.source,
    name: name ?? null,
    createdAt: toDate(createdAt),
    expiresAt: toDate(expiresAt),
    isThis: id === current,
  }
}

function toDate(at: number): string {
  return new Date(at).toISOString()
}
