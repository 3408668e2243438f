import { describe, expect, it } from 'vitest'
import { anHttpRequest } from '../../../test/support/an-http-request.ts'
import { settingsSchema } from '../../config/settings/settings.ts'
import type { Agent, Caller } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { createLocalPasses } from '../../identity/local-passes.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { asAgent, toVisitor } from './visitor.ts'

const KEYS: Record<string, Agent> = {
  ptk_admin: { id: 'ada', proof: 'key', role: 'admin' },
  ptk_agent: { id: 'bob', proof: 'key' },
  'a.b.c': { id: 'eve', proof: 'jwt', role: 'viewer' },
}
const passes = createLocalPasses(() => Buffer.alloc(32, 7))
const allow = { servers: ['*'] }

/** A gateway that asks for keys or does not, with rules for these agents, if any. */
function aGateway(required: boolean, agents?: readonly string[]) {
  const rules = agents && {
    agents: Object.fromEntries(agents.map((id) => [id, { allow }])),
    denyOnMissingAgent: true,
  }
  const world = {
    policy: createPolicy(rules),
    identify: async ({ credential }: Caller): Promise<Agent> => {
      const agent = credential === undefined ? undefined : KEYS[credential]
      if (agent) return agent
      const code = credential === undefined ? 'INVALID_AGENT_ID' : 'UNAUTHENTICATED'
      throw new GatewayError(code, 'who?')
    },
  }
  const settings = settingsSchema.parse({ auth: { required } })
  return { world, config: { rules, settings }, passes }
}

const withKey = (key: string) => anHttpRequest({ authorization: `Bearer ${key}` })
const withCookie = (key: string) => anHttpRequest({ cookie: `portolan_key=${key}` })

describe('where a key is asked for, a visitor', () => {
  const gateway = aGateway(true)

  it('is who its key, token or login says, with that role, and acts as that agent alone', async () => {
    expect(await toVisitor(withKey('ptk_admin'), gateway)).toMatchObject({
      role: 'admin',
      via: 'key',
      mayChange: true,
      actAs: ['ada'],
    })
    expect(await toVisitor(withKey('ptk_agent'), gateway)).toMatchObject({
      role: 'agent',
      via: 'key',
      actAs: ['bob'],
    })
    expect(await toVisitor(withKey('a.b.c'), gateway)).toMatchObject({
      role: 'viewer',
      via: 'token',
      actAs: ['eve'],
    })
    expect(await toVisitor(withCookie('ptk_admin'), gateway)).toMatchObject({
      role: 'admin',
      via: 'cookie',
    })
  })

  it('is the one of its header, whatever an earlier login left', async () => {
    const both = anHttpRequest({
      authorization: 'Bearer ptk_agent',
      cookie: 'portolan_key=ptk_admin',
    })
    expect(await toVisitor(both, gateway)).toMatchObject({ role: 'agent', via: 'key' })
  })

  it.each([
    ['without any', anHttpRequest()],
    ['with a wrong key', withKey('ptk_wrong')],
    ['with an old login', withCookie('ptk_revoked')],
    ['that only claims to be an agent', anHttpRequest({ 'x-agent-id': 'ada' })],
  ])('is refused %s', async (_, request) => {
    await expect(toVisitor(request, gateway)).rejects.toThrow('who?')
  })
})

describe('where no key is asked for, a visitor', () => {
  it('may read everything and change nothing, as the dashboard and as every agent', async () => {
    const visitor = await toVisitor(anHttpRequest(), aGateway(false, ['dashboard', 'ada']))
    expect(visitor).toMatchObject({ role: 'admin', via: 'open', actAs: ['dashboard', 'ada'] })
    expect(visitor.mayChange).toBe(false)
    expect(await toVisitor(anHttpRequest(), aGateway(false))).toMatchObject({
      actAs: ['dashboard'],
    })
  })

  it('acts as nobody where the rules have nobody for it', async () => {
    const visitor = await toVisitor(anHttpRequest(), aGateway(false, []))
    expect(visitor.actAs).toEqual([])
    expect(() => asAgent(visitor, undefined)).toThrow('The rules have no agent for the dashboard')
    expect(asAgent(visitor, 'ada').claimedAgent).toBe('ada')
  })

  it('is not kept out by an old login, but by a wrong key', async () => {
    const gateway = aGateway(false)
    const visitor = await toVisitor(withCookie('ptk_revoked'), gateway)
    expect(visitor).toMatchObject({ via: 'open', caller: { credential: undefined } })
    await expect(toVisitor(withKey('ptk_wrong'), gateway)).rejects.toThrow('who?')
    expect(await toVisitor(withCookie('ptk_agent'), gateway)).toMatchObject({
      role: 'agent',
      via: 'cookie',
    })
  })
})

describe.each([true, false])(
  'the person of the data folder, where keys are asked for: %s',
  (required) => {
    const gateway = aGateway(required, ['dashboard', 'ada'])
    const session = passes.issue('session', 0)
    const inBrowser = (proof?: string) =>
      anHttpRequest({
        cookie: `portolan_key=${session}`,
        ...(proof !== undefined && { 'x-portolan-dashboard': proof }),
      })

    it('is an admin who may change things, from the command line', async () => {
      const visitor = await toVisitor(withKey(passes.issue('command', 0)), gateway)
      expect(visitor).toMatchObject({
        role: 'admin',
        via: 'local',
        mayChange: true,
        actAs: ['dashboard', 'ada'],
        caller: { transport: 'in-process', credential: undefined },
      })
    })

    it('may change things from a page that has the proof of its session, and reads without', async () => {
      const changes = async (proof?: string) =>
        (await toVisitor(inBrowser(proof), gateway)).mayChange
      expect(await changes(passes.proofOf(session))).toBe(true)
      expect(await changes(passes.proofOf(passes.issue('session', 0)))).toBe(false)
      expect(await changes('1')).toBe(false)
      expect(await changes()).toBe(false)
      expect((await toVisitor(inBrowser(), gateway)).via).toBe('local')
    })

    it.each([
      ['a link, which opens a session first', passes.issue('link', 0)],
      ['a session without its cookie', session],
      ['a pass of another port', passes.issue('command', 7411)],
      [
        'a pass of another data folder',
        createLocalPasses(() => Buffer.alloc(32, 8)).issue('command', 0),
      ],
      ['a pass that was made up', 'ptl_x'],
    ])('is not whoever shows %s', async (_, pass) => {
      await expect(toVisitor(withKey(pass), gateway)).rejects.toThrow('no longer, good here')
    })
  },
)

it('a session that has ended leaves its browser what everybody may', async () => {
  const old = withCookie('ptl_x')
  expect(await toVisitor(old, aGateway(false))).toMatchObject({ via: 'open', mayChange: false })
  await expect(toVisitor(old, aGateway(true))).rejects.toThrow('no longer, good here')
})

it('makes the calls of a visitor as the agent it chose, else as its own', async () => {
  const visitor = await toVisitor(withKey('ptk_admin'), aGateway(true))
  expect(asAgent(visitor, undefined)).toMatchObject({
    credential: 'ptk_admin',
    claimedAgent: 'ada',
  })
  expect(asAgent(visitor, 'bob')).toMatchObject({ credential: 'ptk_admin', claimedAgent: 'bob' })
})
