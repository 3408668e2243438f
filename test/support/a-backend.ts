import type { Arrival, Backend } from '../../src/fronts/backend.ts'
import type { Identity } from '../../src/gateway/request.ts'

/** A client that came over HTTP, without credentials. */
export const AN_ARRIVAL: Arrival = {
  transport: 'http',
  credential: undefined,
  claimedAgent: undefined,
  headers: {},
  surface: undefined,
  projectPath: undefined,
  alone: false,
}

/** Whom a front has identified as this owner. */
export function anIdentity(owner = ''): Identity {
  return { owner, agent: undefined, by: () => ({ id: owner, proof: 'claim' }) }
}

/** A gateway that offers nothing and answers every call with an empty result. */
export function aBackend(more: Partial<Backend> = {}): Backend {
  return {
    phase: 'serving',
    info: { name: 'test', version: '1' },
    capabilities: async () => ({}),
    watchTasks: async () => ({ taskIds: [], start: () => {} }),
    methods: new Set(),
    toolsetProblem: () => undefined,
    instructions: async () => undefined,
    handle: async () => ({}),
    authenticate: () => anIdentity(),
    onNotification: () => () => undefined,
    permits: async () => true,
    watch: async (uri) => ({ uri, unwatch: () => undefined }),
    greeted: () => undefined,
    release: () => undefined,
    suspend: () => undefined,
    rootsChanged: () => undefined,
    detect: () => ({ path: '', source: 'query_param' }),
    ...more,
  }
}
