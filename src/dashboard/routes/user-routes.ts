import { z } from 'zod'
import { isUserName } from '../../gateway/agents/agent-id.ts'
import { HttpError } from '../../http/http-error.ts'
import { revokeKeysOf } from '../../identity/forget-person.ts'
import { ROLES } from '../../identity/role.ts'
import type { Visitor } from '../access/visitor.ts'
import type { Users } from '../contract/access.ts'
import { text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'

const MAX_GROUPS = 100
const rights = z.object({
  groups: z.array(z.string().trim().min(1).max(200)).max(MAX_GROUPS),
  role: z.enum(ROLES),
})
const newUser = rights.extend({ name: text, again: z.boolean().optional() })

/** The people who sign in with a password; for admins. */
export function userRoutes(sources: Sources): Route[] {
  function peopleHere() {
    const people = sources.signIn?.people
    if (people) return people
    throw new HttpError(
      409,
      'NO_SIGN_IN',
      'Nobody signs in here with a password',
      'Set listen.publicUrl, so that people sign in by name.',
    )
  }

  /** Ends the keys and the sessions of somebody. */
  async function end(visitor: Visitor, name: string, how: 'disable' | 'remove'): Promise<void> {
    mustBeAnother(visitor, name)
    const users = await peopleHere().users()
    const user = await users.find(name)
    if (!user || !(await users[how](name))) throw noUser(name)
    const keys = await revokeKeysOf(name, sources.keys)
    if (how === 'remove') await sources.people.forget(user)
    recordChange(sources, visitor, `users.${how}`, { user: name, keys })
  }

  return [
    defineRoute('GET /users', {
      role: 'admin',
      async answer() {
        const people = sources.signIn?.people
        if (!people) return { users: null, groups: [] }
        const all = await (await people.users()).list()
        const users = all.map(({ name, groups, role, state, createdAt }) => {
          return { name, groups, role, state, createdAt: new Date(createdAt).toISOString() }
        })
        return { users, groups: groupNames(users, sources) }
      },
    }),
    defineRoute('POST /users', {
      role: 'admin',
      body: newUser,
      async answer({ visitor, body }) {
        const { name, groups, role, again } = newUser.parse(body)
        if (!isUserName(name))
          throw new HttpError(
            400,
            'INVALID_PARAMS',
            `'${name}' is not a name of a person`,
            'Names are made of letters, digits, "_", ".", "-", "@" and "+".',
          )
        mustBeAnother(visitor, name)
        const people = peopleHere()
        const users = await people.users()
        if (again !== true && (await users.find(name)))
          throw new HttpError(409, 'USER_EXISTS', `There is a user '${name}' already`)
        const { code, expiresAt } = await users.invite({ name, groups, role })
        recordChange(sources, visitor, 'users.invite', { user: name, groups, role })
        return { link: people.invitation(code), expiresAt: new Date(expiresAt).toISOString() }
      },
    }),
    defineRoute('POST /users/:user', {
      role: 'admin',
      body: rights,
      async answer({ visitor, params: { user: name = '' }, body }) {
        const { groups, role } = rights.parse(body)
        mustBeAnother(visitor, name)
        if (!(await (await peopleHere().users()).change({ name, groups, role }))) throw noUser(name)
        recordChange(sources, visitor, 'users.change', { user: name, groups, role })
        return { ok: true }
      },
    }),
    defineRoute('POST /users/:user/disable', {
      role: 'admin',
      async answer({ visitor, params: { user = '' } }) {
        await end(visitor, user, 'disable')
        return { ok: true }
      },
    }),
    defineRoute('POST /users/:user/remove', {
      role: 'admin',
      async answer({ visitor, params: { user = '' } }) {
        await end(visitor, user, 'remove')
        return { ok: true }
      },
    }),
  ]
}

/** Whoever takes away their own rights could not take that back. */
function mustBeAnother({ actAs: [own], via }: Visitor, name: string): void {
  if (own !== name || via === 'open' || via === 'local') return
  throw new HttpError(
    409,
    'OWN_ACCOUNT',
    'Nobody can change their own account here',
    'Ask another admin, or run `portolan users` where the gateway runs.',
  )
}

function noUser(name: string): HttpError {
  return new HttpError(404, 'NOT_FOUND', `There is no user '${name}'`)
}

/** The names of groups to offer. */
function groupNames(users: NonNullable<Users['users']>, { config }: Sources): string[] {
  const { adminGroups, viewerGroups } = config.settings.auth
  const ofRules = Object.values(config.rules?.groups ?? {}).flatMap(({ match }) =>
    match.claim === 'groups' ? [...(match.any ?? []), ...(match.all ?? [])] : [],
  )
  const all = [...users.flatMap(({ groups }) => groups), ...adminGroups, ...viewerGroups]
  return [...new Set([...all, ...ofRules])].toSorted()
}
