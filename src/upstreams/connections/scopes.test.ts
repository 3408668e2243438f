import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { Scopes, lasts } from './scopes.ts'

const ELICITS = { elicitation: {} }
const client = (session: string, capabilities = ELICITS) => aClient({ session, capabilities })
const era = 'legacy'
const ASKS = { era, asks: true } as const
const NEVER_ASKS = { era, asks: false } as const
const UNKNOWN = { era, asks: undefined } as const
const own = (session: string) => ({ kind: 'own', era, key: session, session })

describe('with "auto"', () => {
  it('all share a server that never asked', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(client('a'), 'ada', NEVER_ASKS)).toEqual({ kind: 'shared', era })
    expect(scopes.of(client(''), 'ada', NEVER_ASKS)).toEqual({ kind: 'shared', era })
  })

  it('new sessions have their own once it asks, clients without a session lease one', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(client('a'), 'ada', ASKS)).toEqual(own('a'))
    expect(scopes.of(client(''), 'ada', ASKS)).toEqual({ kind: 'leased', era })
  })

  it('before anybody knows whether it asks, the first that can be asked shares, others have their own', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(aClient({ session: 'mute' }), 'ada', UNKNOWN)).toEqual({ kind: 'shared', era })
    expect(scopes.of(client('a'), 'ada', UNKNOWN)).toEqual({ kind: 'shared', era })
    expect(scopes.of(client('b'), 'ada', UNKNOWN)).toEqual(own('b'))
    expect(scopes.of(client('a'), 'ada', UNKNOWN)).toEqual({ kind: 'shared', era })
    expect(scopes.of(client(''), 'ada', UNKNOWN)).toEqual({ kind: 'leased', era })
    expect(scopes.of(client('c'), 'ada', NEVER_ASKS)).toEqual({ kind: 'shared', era })
    scopes.release('a')
    expect(scopes.of(client('d'), 'ada', UNKNOWN)).toEqual({ kind: 'shared', era })
  })

  it('all share a server of the modern era, whose questions are answers to calls', () => {
    const scopes = new Scopes('auto')
    const known = { era: 'modern', asks: true } as const
    for (const session of ['a', 'b', ''])
      expect(scopes.of(client(session), 'ada', known)).toEqual({ kind: 'shared', era: 'modern' })
  })

  it('those who cannot be asked share', () => {
    const scopes = new Scopes('auto')
    expect(scopes.of(aClient({ session: 'a' }), 'ada', ASKS)).toEqual({ kind: 'shared', era })
    expect(scopes.of(aClient({ session: '' }), 'ada', ASKS)).toEqual({ kind: 'shared', era })
    for (const ability of ['roots', 'sampling', 'elicitation'])
      expect(
        new Scopes('auto').of(aClient({ capabilities: { [ability]: {} } }), 'ada', ASKS),
      ).toEqual(own('session-1'))
  })

  it('a session stays where its first call was until it ends, or the connection does', () => {
    const scopes = new Scopes('auto')
    scopes.of(client('a'), 'ada', NEVER_ASKS)
    scopes.of(client('b'), 'ada', ASKS)
    expect(scopes.of(client('a'), 'ada', ASKS)).toEqual({ kind: 'shared', era })
    expect(scopes.of(client('b'), 'ada', NEVER_ASKS)).toEqual(own('b'))
    scopes.release('b')
    expect(scopes.of(client('b'), 'ada', NEVER_ASKS)).toEqual({ kind: 'shared', era })
    scopes.sharedLost(era)
    expect(scopes.of(client('a'), 'ada', ASKS)).toEqual(own('a'))
  })

  it('lists decide nothing for a session', () => {
    const scopes = new Scopes('auto')
    expect(scopes.outsideCalls(client('a'), era)).toBeUndefined()
    expect(scopes.of(client('a'), 'ada', ASKS)).toEqual(own('a'))
    expect(scopes.outsideCalls(client('a'), era)).toEqual(own('a'))
  })

  it('the only client of a process has its own', () => {
    const alone = aClient({ session: 'stdio', alone: true })
    expect(new Scopes('auto').of(alone, 'ada', NEVER_ASKS)).toEqual(own('stdio'))
  })
})

it.each([
  ['shared', { kind: 'shared', era }, { kind: 'shared', era }],
  ['per-session', own('a'), { kind: 'leased', era }],
  [
    'per-agent',
    { kind: 'own', era, key: 'a ada', session: 'a' },
    { kind: 'own', era, key: ' ada', session: '' },
  ],
  ['per-call', { kind: 'fresh', era }, { kind: 'fresh', era }],
] as const)('with "%s" nothing depends on questions', (mode, withSession, without) => {
  for (const known of [NEVER_ASKS, ASKS, UNKNOWN]) {
    const scopes = new Scopes(mode)
    expect(scopes.of(client('a'), 'ada', known)).toEqual(withSession)
    expect(scopes.of(client(''), 'ada', known)).toEqual(without)
  }
})

it('"per-agent" tells two agents of one session apart', () => {
  const scopes = new Scopes('per-agent')
  const keys = ['ada', 'bob', 'ada'].map((agent) => scopes.of(client('a'), agent, NEVER_ASKS))
  expect(keys[0]).not.toEqual(keys[1])
  expect(keys[0]).toEqual(keys[2])
})

it('shared connections and those of a session last, others are there for a call', () => {
  expect((['shared', 'leased', 'fresh'] as const).map((kind) => lasts({ kind, era }))).toEqual([
    true,
    false,
    false,
  ])
  expect(lasts({ kind: 'own', era, key: 'a', session: 'a' })).toBe(true)
})

it('a lost connection changes nothing for those who used another', () => {
  const scopes = new Scopes('auto')
  scopes.of(client('old'), 'ada', NEVER_ASKS)
  scopes.of(client('new'), 'ada', { era: 'modern', asks: true })
  scopes.of(client('own'), 'ada', ASKS)
  scopes.sharedLost('modern')
  expect(scopes.outsideCalls(client('old'), era)).toEqual({ kind: 'shared', era })
  expect(scopes.outsideCalls(client('new'), era)).toBeUndefined()
  scopes.sharedLost()
  expect(scopes.outsideCalls(client('old'), era)).toBeUndefined()
  expect(scopes.outsideCalls(client('own'), era)).toEqual(own('own'))
})

it('a client without a session is decided with each call', () => {
  const scopes = new Scopes('auto')
  expect(scopes.of(client(''), 'ada', NEVER_ASKS)).toEqual({ kind: 'shared', era })
  expect(scopes.of(client(''), 'ada', ASKS)).toEqual({ kind: 'leased', era })
  expect(new Scopes('per-session').outsideCalls(client(''), era)).toBeUndefined()
  expect(new Scopes('per-session').outsideCalls(client('a'), era)).toEqual(own('a'))
  expect(new Scopes('per-call').outsideCalls(client('a'), era)).toBeUndefined()
  expect(new Scopes('per-agent').outsideCalls(client('a'), era)).toBeUndefined()
})

it('the end of another session leaves the first one where it may be asked', () => {
  const scopes = new Scopes('auto')
  scopes.of(client('a'), 'ada', UNKNOWN)
  scopes.of(client('b'), 'ada', UNKNOWN)
  scopes.release('b')
  expect(scopes.of(client('c'), 'ada', UNKNOWN)).toEqual(own('c'))
})
