import type { IncomingMessage } from 'node:http'
import { toArrival } from '../../http/arrival.ts'
import type { Caller } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { credentialRequired } from '../../identity/credential-required.ts'
import type { Config } from '../../config/load.ts'
import type { World } from '../../surfaces/world.ts'
import type { Me, Role } from '../contract/access.ts'
import { readCookie } from './cookie.ts'

/** Whoever looks at the dashboard. */
export interface Visitor {
  readonly role: Role
  readonly via: Me['via']
  /** As which agents it may act, its own first; empty where the rules have nobody for it. */
  readonly actAs: readonly string[]
  /** How its calls are made; without a credential it says itself which agent it is. */
  readonly caller: Caller
}

/** What decides who a visitor is. */
interface Sources {
  readonly world: { identify: World['identify']; policy: Pick<World['policy'], 'knows'> }
  readonly config: Pick<Config, 'rules'> & { settings: Pick<Config['settings'], 'auth' | 'listen'> }
}

/** The agent of whoever needs no key, where the rules know it or there are none. */
const DASHBOARD_AGENT = 'dashboard'

/** Who asks; throws where it has to say so and does not, or wrongly. */
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
    // What is left of an earlier login keeps nobody out who needs none.
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

/** On this machine, where no key is asked for, everybody may do everything, as any agent. */
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
    return undefined // The rules have nobody for those who do not say who they are.
  }
}

/** The caller of a call that the visitor makes as one of its agents. */
export function asAgent({ caller, actAs }: Visitor, agent: string | undefined): Caller {
  const claimedAgent = agent ?? actAs[0]
  if (claimedAgent === undefined)
    throw new GatewayError('NO_FALLBACK_CONFIGURED', 'The rules have no agent for the dashboard', {
      hint: `Choose an agent, or add "${DASHBOARD_AGENT}" to the rules.`,
    })
  return { ...caller, claimedAgent }
}
