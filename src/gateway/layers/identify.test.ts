import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import type { CallEvent, Caller, Identified, Inbound } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { type AgentDirectory, identify } from './identify.ts'

const caller: Caller = { transport: 'stdio', credential: undefined, claimedAgent: 'ada' }

function aCall(info?: JsonObject): Inbound {
  const event: CallEvent = { id: '1', startedAt: 0, operation: 'tools/call' }
  return {
    operation: 'tools/call',
    address: { kind: 'tool', server: 's', tool: 't' },
    method: 'tools/call',
    params: {},
    caller,
    client: {
      transport: 'http',
      alone: false,
      session: 'x',
      era: 'legacy',
      info,
      capabilities: {},
      logLevel: undefined,
      headers: {},
      request: async () => ({}),
      notify: () => {},
      project: async () => ({ path: '/', source: 'cwd' }),
    },
    options: {},
    signal: new AbortController().signal,
    event,
  }
}

const ada = { id: 'ada', proof: 'claim' } as const

it.each<[string, AgentDirectory]>([
  ['at once', { identify: () => ada }],
  ['after a while', { identify: async () => ada }],
])('hands on the agent, found %s, and writes it into the event', async (_, directory) => {
  const call = aCall()
  const seen: Identified[] = []
  const handler = identify(directory)(async (identified) => {
    seen.push(identified)
    return { ok: true }
  })
  expect(await handler(call)).toEqual({ ok: true })
  expect(seen).toEqual([{ ...call, agent: ada }])
  expect(call.event.agent).toBe('ada')
})

it.each([
  ['inspector', 'inspector'],
  ['x'.repeat(81), 'x'.repeat(80)],
])(
  'writes down the name of the client, %s, and no more of it than is needed',
  async (name, kept) => {
    const call = aCall({ name })
    await identify({ identify: () => ada })(async () => ({}))(call)
    expect(call.event.client).toBe(kept)
  },
)

it('writes down neither a client without a name nor the ancestors of an agent without any', async () => {
  const call = aCall()
  await identify({ identify: () => ada })(async () => ({}))(call)
  expect(Object.keys(call.event)).toEqual(['id', 'startedAt', 'operation', 'agent'])
})

it('writes down on whose rights a sub-agent lives', async () => {
  const call = aCall()
  const helper = { id: 'ada.helper', proof: 'handle', ancestors: ['ada'] } as const
  await identify({ identify: () => helper })(async () => ({}))(call)
  expect(call.event).toMatchObject({ agent: 'ada.helper', ancestors: ['ada'] })
})

it('writes down the person and the client that the token was issued to', async () => {
  const call = aCall({ name: 'says-anything' })
  const person = { user: 'ada@example.com', groups: ['platform'] }
  const agent = { id: person.user, proof: 'jwt', person, client: 'Editor' } as const
  await identify({ identify: () => agent })(async () => ({}))(call)
  expect(call.event).toMatchObject({
    user: 'ada@example.com',
    groups: ['platform'],
    client: 'Editor',
  })
})

it('rejects, and calls nothing, when the directory refuses', async () => {
  const refused = new GatewayError('UNAUTHENTICATED', 'no')
  let calls = 0
  const handler = identify({
    identify() {
      throw refused
    },
  })(async () => {
    calls++
    return {}
  })
  await expect(async () => handler(aCall())).rejects.toBe(refused)
  expect(calls).toBe(0)
})

it.each([
  ['the front has found out', 'key', 'same', 'found by the front'],
  ['a reload has brought other rules', 'key', 'other', 'found now'],
  ['it may be named after its client', 'fallback', 'same', 'found now'],
] as const)(
  'when %s, as a %s, of the %s rules: the agent is the one %s',
  async (_why, proof, by, expected) => {
    const directory: AgentDirectory = { identify: () => ({ id: 'found now', proof: 'claim' }) }
    const call = {
      ...aCall(),
      identity: {
        owner: '',
        agent: { id: 'found by the front', proof },
        by: by === 'same' ? directory.identify : () => ada,
      },
    }
    await identify(directory)(async () => ({}))(call)
    expect(call.event.agent).toBe(expected)
  },
)
