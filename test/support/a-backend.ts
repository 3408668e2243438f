import type { Arrival, Backend } from '../../src/fronts/backend.ts'

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

/** A gateway that offers nothing and answers every call with an empty result. */
export function aBackend(more: Partial<Backend> = {}): Backend {
  return {
    phase: 'serving',
    info: { name: 'test', version: '1' },
    capabilities: async () => ({}),
    watchTasks: async () => ({ taskIds: [], start: () => {} }),
    methods: new Set(),
    instructions: async () => undefined,
    handle: async () => ({}),
    authenticate: () => '',
    onNotification: () => () => undefined,
    permits: async () => true,
    watch: async (uri) => ({ uri, unwatch: () => undefined }),
    greeted: () => undefined,
    release: () => undefined,
    suspend: () => undefined,
    rootsChanged: () => undefined,
    detect: () => ({ path: '', source: 'query' }),
    ...more,
  }
}
