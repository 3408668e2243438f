import { expect, it } from 'vitest'
import { createPolicy } from '../gateway/agents/policy.ts'
import { isNamedAfterClient, whoCalled, whoIs } from './who-is.ts'

const RULES = {
  agents: { ada: { allow: { servers: ['*'] } }, default: { allow: { servers: ['notes'] } } },
  denyOnMissingAgent: false,
}
const KNOWN = {
  rules: RULES,
  auth: { required: 'auto' as const },
  keyed: ['bob'],
  users: [{ name: 'eve', groups: ['ops'] }],
}

it.each([
  ['an agent of the rules', 'ada', { id: 'ada' }],
  ['an agent with a key alone', 'bob', { id: 'bob' }],
  [
    'a stored user, with their groups',
    'eve',
    { id: 'eve', person: { user: 'eve', groups: ['ops'] } },
  ],
  ['a client without a key', 'codex', { id: 'codex', ancestors: ['default'] }],
  [
    'a client, by its name in the handshake',
    'codex-mcp-client',
    { id: 'codex', ancestors: ['default'] },
  ],
  ['the default agent itself', 'default', { id: 'default' }],
])('knows %s', (_, name, who) => expect(whoIs(name, KNOWN)).toEqual(who))

it('takes a name as it is where no client gets in without a key, or nothing is ruled', () => {
  const strict = { ...RULES, denyOnMissingAgent: true }
  const withoutDefault = { ...RULES, agents: { ada: RULES.agents.ada } }
  for (const rules of [strict, withoutDefault, undefined])
    expect(whoIs('codex', { ...KNOWN, rules })).toEqual({ id: 'codex' })
  const auth = { required: true }
  expect(whoIs('codex', { ...KNOWN, auth })).toEqual({ id: 'codex' })
})

it('is the configured agent for every client, if there is one', () => {
  const auth = { required: 'auto' as const, defaultAgent: 'ada' }
  expect(whoIs('codex', { ...KNOWN, auth })).toEqual({ id: 'ada' })
})

it('says of a recorded call who made it, as the rules saw it then', () => {
  const call = { agent: 'codex', ancestors: ['default'], client: 'codex-mcp-client' }
  expect(whoCalled(call)).toEqual({ id: 'codex', ancestors: ['default'] })
  expect(isNamedAfterClient(call)).toBe(true)
  expect(isNamedAfterClient({ ...call, agent: 'helper' }), 'the holder of a handle').toBe(false)
  const signedIn = { agent: 'eve', user: 'eve', groups: ['ops'], client: 'toy' }
  expect(whoCalled(signedIn)).toEqual({
    id: 'eve',
    person: { user: 'eve', groups: ['ops'] },
    client: 'toy',
  })
})

it('gives the rights that the call of such a client really has', () => {
  const policy = createPolicy(RULES)
  const codex = whoIs('codex', KNOWN)
  expect(policy.tool(codex, 'notes', 'read').effect).toBe('allow')
  expect(policy.tool(codex, 'files', 'read').effect).toBe('deny')
  expect(policy.tool({ id: 'codex' }, 'notes', 'read').effect, 'by its name alone').toBe('deny')
})
