import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { Scopes } from './scopes.ts'

const ELICITS = { elicitation: {} }
const client = (session: string, capabilities = ELICITS) => aClient({ session, capabilities })
const own = (session: string) => ({ kind: 'own', key: session, session })

describe('with "auto"', () => {
  it('all share a server that never asked', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(client('a'), 'ada', false)).toEqual({ kind: 'shared' })
    expect(scopes.of(client(''), 'ada', false)).toEqual({ kind: 'shared' })
  })

  it('new sessions have their own once it asks, clients without a session lease one', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(client('a'), 'ada', true)).toEqual(own('a'))
    expect(scopes.of(client(''), 'ada', true)).toEqual({ kind: 'leased' })
  })

  it('those who cannot be asked share', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(aClient({ session: 'a' }), 'ada', true)).toEqual({ kind: 'shared' })
    expect(scopes.of(aClient({ session: '' }), 'ada', true)).toEqual({ kind: 'shared' })
    for (const ability of ['roots', 'sampling', 'elicitation'])
      expect(
        new Scopes('auto').of(aClient({ capabilities: { [ability]: {} } }), 'ada', true),
      ).toEqual(own('session-1'))
  })

  it('a session stays where its first call was until it ends, or the connection does', () => {
    const scopes = new Scopes('auto')
    scopes.of(client('a'), 'ada', false)
    scopes.of(client('b'), 'ada', true)
    expect(scopes.of(client('a'), 'ada', true)).toEqual({ kind: 'shared' })
    expect(scopes.of(client('b'), 'ada', false)).toEqual(own('b'))
    scopes.release('b')
    expect(scopes.of(client('b'), 'ada', false)).toEqual({ kind: 'shared' })
    scopes.sharedLost()
    expect(scopes.of(client('a'), 'ada', true)).toEqual(own('a'))
  })

  it('lists decide nothing for a session', () => {
    const scopes = new Scopes('auto')
    expect(scopes.outsideCalls(client('a'))).toBeUndefined()
    expect(scopes.of(client('a'), 'ada', true)).toEqual(own('a'))
    expect(scopes.outsideCalls(client('a'))).toEqual(own('a'))
  })

  it('the only client of a process has its own', () => {
    const alone = aClient({ session: 'stdio', alone: true })
    expect(new Scopes('auto').of(alone, 'ada', false)).toEqual(own('stdio'))
  })
})

it.each([
  ['shared', { kind: 'shared' }, { kind: 'shared' }],
  ['per-session', own('a'), { kind: 'leased' }],
  [
    'per-agent',
    { kind: 'own', key: 'a ada', session: 'a' },
    { kind: 'own', key: ' ada', session: '' },
  ],
  ['per-call', { kind: 'fresh' }, { kind: 'fresh' }],
] as const)('with "%s" nothing depends on questions', (mode, withSession, without) => {
  for (const asks of [false, true]) {
    const scopes = new Scopes(mode)
    expect(scopes.of(client('a'), 'ada', asks)).toEqual(withSession)
    expect(scopes.of(client(''), 'ada', asks)).toEqual(without)
  }
})

it('"per-agent" tells two agents of one session apart', () => {
  const scopes = new Scopes('per-agent')
  const keys = ['ada', 'bob', 'ada'].map((agent) => scopes.of(client('a'), agent, false))
  expect(keys[0]).not.toEqual(keys[1])
  expect(keys[0]).toEqual(keys[2])
})
