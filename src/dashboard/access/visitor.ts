import type { IncomingMessage } from 'node:http'
import { toArrival } from '../../http/arrival.ts'
import type { Caller } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { credentialRequired } from '../../identity/credential-required.ts'
import type { Config } from '../../config/load.ts'
import type { World } from '../../surfaces/world.ts'
import type { Me, Role } from '../contract/access.ts'
import { readCookie } from './cookie.ts'

/** The user of the dashboard who sent a request. */
export interface Visitor {
  readonly role: Role
  readonly via: Me['via']
  /** The agents it may act as, its own first; empty if the rules have no agent for it. */
  readonly actAs: readonly string[]
  /** The caller of its calls; without a credential, the visitor chooses the agent. */
  readonly caller: Caller
}

/** What is needed to identify a visitor. */
interface Sources {
  readonly world: { identify: World['identify']; policy: Pick<World['policy'], 'knows'> }
  readonly config: Pick<Config, 'rules'> & { settings: Pick<Config['settings'], 'auth' | 'listen'> }
}

/** The agent of visitors who need no key, if the rules name it or there are no rules. */
const DASHBOARD_AGENT = 'dashboard'

/** Identifies the sender of a request; throws if a credential is required but missing or wrong. */
export async function toVisitor(request: IncomingMessage, sources: Sources): Promise<Visitor> {
  const arrival = toArrival(request, undefined, {})
  const cookie = arrival.credential === undefined ? readCookie(request) : undefined
  const credential = arrival.credential ?? cookie
  const caller: Caller = { transport: 'http', credential, claimedAgent: undefined }
  const { auth, listen } = sources.config.settings
  const isOpen = !credentialRequired({ ...listen, ...auth })(caller)
  if (credential === undefined && isOpen) return openVisitor(sources, caller)
  try {
    return await knownVisitor(sources, caller, cookie === undefined ? undefined : 'cookie')
  } catch (error) {
    // A stale cookie of an earlier login must not lock out a visitor who needs no login.
    const isStale = error instanceof GatewayError && error.code === 'UNAUTHENTICATED'
    if (isStale && cookie !== undefined && isOpen)
      return openVisitor(sources, { ...caller, credential: undefined })
    throw error
  }
}

export async function knownVisitor(
  { world }: { readonly world: Pick<Sources['world'], 'identify'> },
  caller: Caller,
  via: 'cookie' | undefined,
): Promise<Visitor> {
  const { id, role = 'agent', proof } = await world.identify(caller)
  return { role, via: via ?? (proof === 'key' ? 'key' : 'token'), actAs: [id], caller }
}

/** On this machine, where no key is required, every visitor may do everything, as any agent. */
async function openVisitor({ world, config }: Sources, caller: Caller): Promise<Visitor> {
  const named = Object.keys(config.rules?.agents ?? {})
  const own = world.policy.knows(DASHBOARD_AGENT) ? DASHBOARD_AGENT : await fallback(world, caller)
  const agents = [...(own === undefined ? [] : [own]), ...named]
  return { role: 'admin', via: 'open', actAs: [...new Set(agents)], caller }
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
