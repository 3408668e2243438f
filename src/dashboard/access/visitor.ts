import type { IncomingMessage } from 'node:http'
import { toArrival } from '../../http/arrival.ts'
import type { Caller } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { credentialRequired } from '../../identity/credential-required.ts'
import type { Config } from '../../config/load.ts'
import { type LocalPasses, PASS_PREFIX } from '../../identity/local-passes.ts'
import type { World } from '../../surfaces/world.ts'
import type { Me, Role } from '../contract/access.ts'
import { readCookie } from './cookie.ts'
import { MARK } from './same-site.ts'

/** The user of the dashboard who sent a request. */
export interface Visitor {
  readonly role: Role
  readonly via: Me['via']
  /** Whether it may change what its role allows, and not only read it: see may-change.ts. */
  readonly mayChange: boolean
  /** The agents it may act as, its own first; empty if the rules have no agent for it. */
  readonly actAs: readonly string[]
  /** The caller of its calls; without a credential, the visitor chooses the agent. */
  readonly caller: Caller
}

/** What is needed to identify a visitor. */
interface Sources {
  readonly world: { identify: World['identify']; policy: Pick<World['policy'], 'knows'> }
  readonly config: Pick<Config, 'rules'> & { settings: Pick<Config['settings'], 'auth' | 'listen'> }
  readonly passes: Pick<LocalPasses, 'accepts' | 'proofOf'>
}

/** The agent of visitors who need no key, if the rules name it or there are no rules. */
const DASHBOARD_AGENT = 'dashboard'

/** Identifies the sender of a request; throws if a credential is required but missing or wrong. */
export async function toVisitor(request: IncomingMessage, sources: Sources): Promise<Visitor> {
  const { credential } = toArrival(request, undefined, {})
  if (credential !== undefined) return byHeader(request, credential, sources)
  const { auth, listen } = sources.config.settings
  const nobody: Caller = { transport: 'http', credential: undefined, claimedAgent: undefined }
  const isOpen = !credentialRequired({ ...listen, ...auth })(nobody)
  const cookie = readCookie(request)
  if (cookie === undefined && isOpen) return openVisitor(sources, nobody)
  try {
    return await byCookie(request, cookie, sources)
  } catch (error) {
    // A stale cookie of an earlier login must not lock out a visitor who needs no login.
    const isStale = error instanceof GatewayError && error.code === 'UNAUTHENTICATED'
    if (isStale && isOpen) return openVisitor(sources, nobody)
    throw error
  }
}

async function byHeader(
  request: IncomingMessage,
  credential: string,
  sources: Sources,
): Promise<Visitor> {
  if (!credential.startsWith(PASS_PREFIX))
    return knownVisitor(sources, toCaller(credential), undefined)
  if (!sources.passes.accepts(credential, 'command', portOf(request))) throw wrongPass()
  return localVisitor(sources, true)
}

async function byCookie(
  request: IncomingMessage,
  cookie: string | undefined,
  sources: Sources,
): Promise<Visitor> {
  if (!cookie?.startsWith(PASS_PREFIX)) return knownVisitor(sources, toCaller(cookie), 'cookie')
  const { passes } = sources
  if (!passes.accepts(cookie, 'session', portOf(request))) throw wrongPass()
  return localVisitor(sources, request.headers[MARK] === passes.proofOf(cookie))
}

function toCaller(credential: string | undefined): Caller {
  return { transport: 'http', credential, claimedAgent: undefined }
}

/** The port at which the request arrived. */
export function portOf({ socket }: Pick<IncomingMessage, 'socket'>): number {
  return socket.localPort ?? 0
}

function wrongPass(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', 'This sign-in is not, or no longer, good here', {
    hint: 'Run `portolan dashboard` with the data folder (PORTOLAN_HOME) of this gateway.',
  })
}

export async function knownVisitor(
  { world }: { readonly world: Pick<Sources['world'], 'identify'> },
  caller: Caller,
  via: 'cookie' | undefined,
): Promise<Visitor> {
  const { id, role = 'agent', proof } = await world.identify(caller)
  const mayChange = true // Its role says what.
  return { role, via: via ?? (proof === 'key' ? 'key' : 'token'), mayChange, actAs: [id], caller }
}

/** On this machine, where no key is required, every visitor may read everything, as any agent. */
async function openVisitor(sources: Sources, caller: Caller): Promise<Visitor> {
  const actAs = await everyAgent(sources, caller)
  return { role: 'admin', via: 'open', mayChange: false, actAs, caller }
}

/**
 * The person whose data folder this is. Calls of theirs come from within the gateway, so that they
 * need no key where clients do.
 */
export async function localVisitor(
  sources: Pick<Sources, 'world' | 'config'>,
  mayChange: boolean,
): Promise<Visitor> {
  const caller: Caller = { transport: 'in-process', credential: undefined, claimedAgent: undefined }
  const actAs = await everyAgent(sources, caller)
  return { role: 'admin', via: 'local', mayChange, actAs, caller }
}

async function everyAgent(
  { world, config }: Pick<Sources, 'world' | 'config'>,
  caller: Caller,
): Promise<string[]> {
  const named = Object.keys(config.rules?.agents ?? {})
  const own = world.policy.knows(DASHBOARD_AGENT) ? DASHBOARD_AGENT : await fallback(world, caller)
  return [...new Set([...(own === undefined ? [] : [own]), ...named])]
}

async function fallback(world: Sources['world'], caller: Caller): Promise<string | undefined> {
  try {
    return (await world.identify(caller)).id
  } catch {
    return undefined // The rules have no agent for callers without a credential.
  }
}

/** Returns the caller for a call that the visitor makes as one of its agents. */
export function asAgent({ caller, actAs }: Visitor, agent: string | undefined): Caller {
  const claimedAgent = agent ?? actAs[0]
  if (claimedAgent === undefined)
    throw new GatewayError('NO_FALLBACK_CONFIGURED', 'The rules have no agent for the dashboard', {
      hint: `Choose an agent, or add "${DASHBOARD_AGENT}" to the rules.`,
    })
  return { ...caller, claimedAgent }
}
