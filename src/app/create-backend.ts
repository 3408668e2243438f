import type { Backend } from '../fronts/backend.ts'
import { type Soon, after } from '../base/flow/soon.ts'
import {
  LOCAL_PERSON,
  asSeenByPerson,
  ownerOfSessions,
  personOf,
} from '../gateway/agents/on-behalf-of.ts'
import type { Caller, Client } from '../gateway/call.ts'
import { type Ledger, noteFailure } from '../gateway/layers/audit.ts'
import type { SessionEvent, Upstream } from '../gateway/upstream.ts'
import { listUnlisted } from '../surfaces/unlisted.ts'
import { type Identity, type Request, agentOf } from '../gateway/request.ts'
import { FORWARDED_METHODS, answerRequest, capabilitiesFor } from '../surfaces/endpoint.ts'
import { instructions } from '../surfaces/instructions.ts'
import { newEvent } from '../surfaces/inbound.ts'
import { watchTasks } from '../surfaces/tasks/watch-tasks.ts'
import { isUnknown } from '../surfaces/unknown-caller.ts'
import { findResource } from '../surfaces/assets/resources.ts'
import type { World } from '../surfaces/world.ts'
import type { WatchedResources } from './watched-resources.ts'
import { VERSION } from '../base/version.ts'

export type Listener = Parameters<Backend['onNotification']>[0]

/** Marks a notification for every client, whatever it may see. */
export const EVERY_SERVER = '*'

export interface BackendParts {
  readonly info?: Backend['info'] | undefined
  readonly detect: Backend['detect']
  readonly folder: string
  readonly drain: Pick<Backend, 'phase'>
  readonly ledger: Ledger
  readonly greeted: Backend['greeted']
  readonly watched: WatchedResources
  /** Servers that other folders go on using, at which sessions may have connections. */
  readonly left: () => readonly Upstream[]
  /** A promise that the first requests wait for; undefined once everything is loaded. */
  readonly loaded: () => Promise<void> | undefined
}

/** Creates the backend for the fronts, which always uses the current world. */
export function createBackend(
  current: () => World,
  listeners: Set<Listener>,
  { info, detect, folder, drain, ledger, greeted, watched, left, loaded }: BackendParts,
): Backend {
  const sessionChanged = (session: string, event: SessionEvent) => {
    for (const server of [...current().catalog.servers, ...left()])
      server.sessionChanged(session, event)
  }
  const handle = (request: Request) => answerRequest(request, current())
  return {
    get phase() {
      return drain.phase
    },
    info: info ?? { name: 'portolan', version: VERSION },
    capabilities: async (who) => capabilitiesFor(who, current()),
    methods: new Set(FORWARDED_METHODS),
    toolsetProblem(name) {
      const problem = current().toolsetProblem(name)
      return problem && [problem.message, problem.details.hint].join('. ')
    },
    instructions: async (who, surface) => instructions(who, surface, current()),
    handle(request) {
      const loading = loaded()
      return loading ? loading.then(() => handle(request)) : handle(request)
    },
    authenticate(caller): Soon<Identity> {
      const world = current()
      const refuse = (error: unknown): Identity => {
        if (isUnknown(caller, error)) return { owner: '', agent: undefined, by: world.identify }
        const event = newEvent('authenticate')
        event.folder = folder
        noteFailure(event, error)
        ledger.record(event)
        throw error
      }
      try {
        const found = identityOf(caller, world.identify)
        return found instanceof Promise ? found.catch(refuse) : found
      } catch (error) {
        return refuse(error)
      }
    },
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async permits(who, server, audience) {
      if (server === EVERY_SERVER) return true
      const world = current()
      try {
        const agent = await agentOf(who, world)
        if (audience?.(personOf(agent)) === false) return false
        return world.policy.server(agent, server).effect === 'allow'
      } catch {
        return false // An unknown caller is notified of nothing.
      }
    },
    async watch(asked, who) {
      const world = current()
      const agent = await agentOf(who, world)
      await listUnlisted(agent, who.client, world)
      const { uri } = findResource(asked, agent, world)
      const find = () => findResource(uri, agent, current()).server
      return { uri, unwatch: await watched.watch({ uri, client: who.client, find }) }
    },
    greeted,
    watchTasks: async (watch) => watchTasks(watch, handle),
    release: (session) => sessionChanged(session, 'ended'),
    suspend: (session) => sessionChanged(session, 'suspended'),
    rootsChanged: (session) => sessionChanged(session, 'roots_changed'),
    detect,
  }
}

/** Finds the agent, and the owner of the credential, whichever of their sub-agents that is. */
function identityOf(caller: Caller, by: World['identify']): Soon<Identity> {
  const { credential, claimedAgent } = caller
  return after(by(caller), (agent): Soon<Identity> => {
    const isSubAgent = agent.proof === 'handle' && credential && claimedAgent
    const owner = isSubAgent ? by({ ...caller, claimedAgent: undefined }) : agent
    return after(owner, (found) => ({ owner: ownerOfSessions(found), agent, by }))
  })
}

/**
 * Starts servers in the background, except those in this process: they start quickly when first
 * asked and would only take memory until then. `client` is the one they start for; what a server
 * lists only for people is listed for the person of this machine.
 */
export function wake(servers: readonly Upstream[], client?: Client): void {
  for (const server of servers)
    if (server.kind === 'stdio' || server.kind === 'http')
      asSeenByPerson(server, LOCAL_PERSON)
        .list({ client })
        .catch(() => undefined)
}
