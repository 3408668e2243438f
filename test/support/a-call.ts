import type { Authorized, CallEvent, Client } from '../../src/gateway/call.ts'
import { type Listing, NO_DIAGNOSTICS, type Upstream } from '../../src/gateway/upstream.ts'

let calls = 0

/** A call in the last stage of the pipeline; a test only names the parts it is about. */
export function aCall(parts: Partial<Authorized> = {}): Authorized {
  return {
    operation: 'tools/call',
    address: { kind: 'exposed', name: 'echo' },
    method: 'tools/call',
    params: { name: 'echo', arguments: {} },
    caller: { transport: 'in-process', credential: undefined, claimedAgent: undefined },
    client: aClient(),
    options: {},
    signal: new AbortController().signal,
    event: anEvent(),
    agent: { id: 'ada', proof: 'key' },
    upstream: anUpstream(),
    tool: undefined,
    grant: { rule: 'agents.ada.allow.servers[0]' },
    ...parts,
  }
}

export function anEvent(parts: Partial<CallEvent> = {}): CallEvent {
  return { id: `call-${++calls}`, startedAt: Date.now(), operation: 'tools/call', ...parts }
}

export function aClient(parts: Partial<Client> = {}): Client {
  return {
    session: 'session-1',
    transport: 'http',
    alone: false,
    era: 'modern',
    info: undefined,
    capabilities: {},
    logLevel: undefined,
    headers: {},
    request: async () => ({}),
    notify: () => {},
    project: async () => ({ path: '/', source: 'cwd' }),
    ...parts,
  }
}

export function anUpstream(parts: Partial<Upstream> = {}): Upstream {
  return {
    name: 'echo',
    kind: 'in-process',
    description: undefined,
    status: { state: 'idle' },
    diagnostics: NO_DIAGNOSTICS,
    listing: aListing('echo'),
    request: async () => ({ content: [] }),
    list: async () => Promise.reject(new Error('not part of this test')),
    watch: async () => () => {},
    sessionChanged: () => {},
    onNotification: () => () => {},
    close: async () => {},
    ...parts,
  }
}

export function aListing(server: string, tools: readonly string[] = []): Listing {
  return {
    tools: tools.map((name) => ({ server, name, definition: { name }, readOnly: false })),
    resources: [],
    resourceTemplates: [],
    prompts: [],
    capabilities: {},
    instructions: undefined,
    serverInfo: undefined,
  }
}
