import { after } from '../../base/flow/soon.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpServer, ServerConfig, StdioServer } from '../../config/servers/servers.ts'
import { fillUserKeys, withUserKeys } from '../../config/secrets/user-keys.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'
import { EVERYBODY, type SignInServer } from '../../identity/sign-ins/server.ts'
import { SignIns } from '../../identity/sign-ins/sign-ins.ts'
import { type UserKeys, createUserKeys } from '../../identity/user-keys.ts'
import type { KnownUser } from '../../identity/incoming/accounts/users.ts'
import { forgetPerson } from '../../identity/forget-person.ts'
import type { Vault } from '../../identity/vault/vault.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import type { SecretValues } from '../../base/secrets/secret-values.ts'
import type { Credentials } from '../../upstreams/http/http-wire.ts'
import type { PersonSignIn } from '../../upstreams/personal/person-sign-in.ts'

/** The sign-ins and keys of people, in whose names the gateway calls servers. */
export interface People {
  readonly signIns: SignIns
  readonly keys: UserKeys
  /** Deletes the sign-ins and keys of a user who was removed. */
  readonly forget: (user: KnownUser) => Promise<void>
}

const LOOK_MS = 250

export function createPeople(
  vault: Vault,
  {
    secrets,
    onSignedIn,
  }: {
    readonly secrets: SecretValues
    readonly onSignedIn: (server: string, person: string) => void
  },
): People {
  const learn = (values: readonly string[]) => secrets.learn(values)
  const hide = (text: string) => secrets.hide(text)
  return {
    signIns: new SignIns({ vault, learn, hide, onSignedIn }),
    keys: createUserKeys(vault, learn),
    forget: async (user) => forgetPerson(user, vault),
  }
}

/** Whether people can sign in to a server: not if it has a fixed header or is a program. */
export function canSignIn(config: HttpServer | StdioServer): config is HttpServer {
  return (
    config.kind === 'http' &&
    !Object.keys(config.headers).some((name) => name.toLowerCase() === 'authorization')
  )
}

const knownServers = new WeakMap<HttpServer, SignInServer>()

/** Returns the same object for the same configuration, so that its sign-ins stay known. */
export function toSignInServer(config: HttpServer): SignInServer {
  const { name, url, oauth } = config
  const known = knownServers.get(config) ?? { name, url, oauth }
  knownServers.set(config, known)
  return known
}

/** Returns the servers that people can sign in to, by name; of two with one name, by its URL too. */
export function signInServers(servers: Iterable<ServerConfig>): Map<string, SignInServer> {
  const found = new Map<string, SignInServer>()
  for (const server of servers) {
    if ((server.kind !== 'http' && server.kind !== 'stdio') || !canSignIn(server)) continue
    const name = found.has(server.name) ? `${server.name} (${server.url})` : server.name
    found.set(name, toSignInServer(server))
  }
  return found
}

/** Returns the name in which a person calls a server. */
export function nameFor(config: HttpServer | StdioServer, person: string): string {
  const isShared =
    canSignIn(config) && config.oauth.tokens === 'shared' && config.userKeys.length === 0
  return isShared ? EVERYBODY : person
}

/** Returns the credentials of a connection that belongs to a person, or to nobody. */
export function credentialsFor(
  config: HttpServer | StdioServer,
  person: string | undefined,
  { signIns }: People,
): Credentials | undefined {
  if (!canSignIn(config)) return undefined
  if (person !== undefined) return signIns.of(toSignInServer(config), person)
  return {
    header: () => undefined,
    refused: async () => {
      throw new SignInNeeded(config.name, 'wants you to sign in')
    },
  }
}

/** Returns what a person has to do before they can use a server, and whether they have. */
export function signInFor(
  config: HttpServer | StdioServer,
  person: string,
  { signIns, keys }: People,
): PersonSignIn {
  const signIn = canSignIn(config) ? signIns.of(toSignInServer(config), person) : undefined
  const lacksKeys = async () => (await missingKeys(config, person, keys)).length > 0
  const isReady = async () => !(await lacksKeys()) && ((await signIn?.isReady()) ?? true)
  return {
    generation: () =>
      after(signIn?.generation(), (signedInAt) => {
        if (config.userKeys.length === 0) return signedInAt?.toString()
        return keys.version(person).then((version) => `${signedInAt ?? ''} ${version}`)
      }),
    async address() {
      if (signIn && !(await lacksKeys())) return signIns.addressFor(signIn)
      return signIns.place?.connectionsUrl(config.name)
    },
    async completed(waitMs, stopped) {
      const until = performance.now() + waitMs
      while (!(await isReady())) {
        if (stopped() || performance.now() > until) return false
        await sleep(LOOK_MS)
      }
      return true
    },
  }
}

/** Lists the servers that a person has to sign in to before calls can succeed. */
export function describeSignIns(
  servers: readonly Upstream[],
  person: string,
  { signIns }: People,
): JsonObject {
  const needed = servers.flatMap(({ name, status }) => {
    if (status.state !== 'down' || status.isSignInNeeded !== true) return []
    const open = signIns.knownAddress(name, person)
    return [{ server: name, why: status.error, ...(open !== undefined && { open }) }]
  })
  return needed.length > 0 ? { sign_in_needed: needed } : {}
}

/** Fills the keys of a person into the headers or variables of a server. */
export async function filled(
  strings: Readonly<Record<string, string>>,
  config: HttpServer | StdioServer,
  person: string | undefined,
  keys: UserKeys,
): Promise<Record<string, string>> {
  if (config.userKeys.length === 0 || person === undefined) return { ...strings }
  const missing = await missingKeys(config, person, keys)
  if (missing.length > 0) throw keysNeeded(config.name, missing)
  return withUserKeys(strings, await keys.of(person))
}

/** Fills the keys of a person into the fixed arguments of a call. */
export async function filledValues(
  values: JsonObject,
  { server, person, keys }: { server: string; person: string; keys: UserKeys },
): Promise<JsonObject> {
  const known = await keys.of(person)
  const { value, missing } = fillUserKeys(values, known)
  if (missing.length > 0) throw keysNeeded(server, missing)
  return isObject(value) ? value : values
}

function keysNeeded(server: string, missing: readonly string[]): SignInNeeded {
  return new SignInNeeded(server, `needs a key of yours that is not set: ${missing.join(', ')}`, {
    hint: `Ask the user to run: portolan secrets set --user ${missing[0]}`,
  })
}

async function missingKeys(
  { userKeys }: HttpServer | StdioServer,
  person: string,
  keys: UserKeys,
): Promise<string[]> {
  if (userKeys.length === 0) return []
  const known = await keys.of(person)
  return userKeys.filter((name) => !known[name])
}
