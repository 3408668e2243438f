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
import type { Upstream } from '../gateway/upstream.ts'
import { listUnlisted } from '../surfaces/unlisted.ts'
import { FORWARDED_METHODS, createEndpoint } from '../surfaces/endpoint.ts'
import { newEvent } from '../surfaces/inbound.ts'
import { watchTasks } from '../surfaces/tasks/watch-tasks.ts'
import { isUnknownCaller } from '../surfaces/unknown-caller.ts'
import { findResource } from '../surfaces/assets/resources.ts'
import type { World } from '../surfaces/world.ts'
import { VERSION } from '../base/version.ts'

export type Listener = Parameters<Backend['onNotification']>[0]

/** Marks a notification for every client, whatever it may see. */
export const EVERY_SERVER = '*'

export interface BackendParts {
  readonly detect: Backend['detect']
  readonly drain: Pick<Backend, 'phase'>
  readonly ledger: Ledger
  readonly greeted: Backend['greeted']
  /** A promise that the first requests wait for; undefined once everything is loaded. */
  readonly loaded: () => Promise<void> | undefined
}

/** Creates the backend for the fronts, which always uses the current world. */
export function createBackend(
  current: () => World,
  listeners: Set<Listener>,
  { detect, drain, ledger, greeted, loaded }: BackendParts,
): Backend {
  const endpoint = createEndpoint(current)
  return {
    get phase() {
      return drain.phase
    },
    info: { name: 'portolan', version: VERSION },
    capabilities: async (era, caller) => endpoint.capabilities(era, caller),
    methods: new Set(FORWARDED_METHODS),
    instructions: endpoint.instructions,
    handle(request) {
      const loading = loaded()
      return loading ? loading.then(() => endpoint.handle(request)) : endpoint.handle(request)
    },
    authenticate(caller): Soon<string> {
      const world = current()
      const refuse = async (error: unknown) => {
        if (await isUnknownCaller(caller, world)) return ''
        const event = newEvent('authenticate')
        noteFailure(event, error)
        ledger.record(event)
        throw error
      }
      try {
        const owner = ownerOf(caller, world.identify)
        return owner instanceof Promise ? owner.catch(refuse) : owner
      } catch (error) {
        return refuse(error)
      }
    },
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async permits(caller, server, audience) {
      if (server === EVERY_SERVER) return true
      const { identify, policy } = current()
      try {
        const agent = await identify(caller)
        if (audience?.(personOf(agent)) === false) return false
        return policy.server(agent, server).effect === 'allow'
      } catch {
        return false // An unknown caller is notified of nothing.
      }
    },
    async watch(asked, caller, client) {
      const world = current()
      const agent = await world.identify(caller)
      await listUnlisted(agent, client, world)
      const { server, uri } = findResource(asked, agent, world)
      return { uri, unwatch: await server.watch(uri, client) }
    },
    greeted,
    watchTasks: async (watch) => watchTasks(watch, endpoint.handle),
    release(session) {
      for (const server of current().catalog.servers) server.sessionChanged(session, 'ended')
    },
    suspend(session) {
      for (const server of current().catalog.servers) server.sessionChanged(session, 'suspended')
    },
    rootsChanged(session) {
      for (const server of current().catalog.servers)
        server.sessionChanged(session, 'roots_changed')
    },
    detect,
  }
}

/** Returns the owner of a credential, whichever of their sub-agents the request is for. */
function ownerOf(caller: Caller, identify: World['identify']): Soon<string> {
  const { credential, claimedAgent } = caller
  return after(identify(caller), (agent): Soon<string> =>
    agent.proof === 'handle' && credential && claimedAgent
      ? after(identify({ ...caller, claimedAgent: undefined }), ownerOfSessions)
      : ownerOfSessions(agent),
  )
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
