import { describe, expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { eraFor, erasOf, learnEra, spokenOnly } from './spoken-eras.ts'
import type { Link } from './link.ts'

function aLink(era: Link['era'], parts: Partial<Link> = {}): Link {
  return {
    era,
    version: era === 'legacy' ? '2025-11-25' : '2026-07-28',
    canAsk: true,
    capabilities: {},
    serverInfo: undefined,
    instructions: undefined,
    request: async () => ({}),
    notify: () => undefined,
    gone: new Promise(() => {}),
    close: async () => undefined,
    ...parts,
  }
}

const old = aClient({ era: 'legacy', capabilities: { elicitation: {} } })
const mute = aClient({ era: 'legacy', capabilities: {} })
const modern = aClient({ era: 'modern' })

describe('the era of a connection', () => {
  it('is that of the client where the server speaks both', () => {
    const both = { modern: true, legacy: true }
    expect([eraFor(old, both), eraFor(modern, both)]).toEqual(['legacy', 'modern'])
  })

  it('is the one that the server speaks where it speaks one only', () => {
    for (const protocol of ['2025-11-25', '2026-07-28'] as const) {
      const only = protocol === '2025-11-25' ? 'legacy' : 'modern'
      expect([eraFor(old, erasOf(protocol)), eraFor(modern, erasOf(protocol))]).toEqual([
        only,
        only,
      ])
    }
  })

  it('is not known before the era of the client was tried', () => {
    expect(eraFor(modern, erasOf('auto'))).toBeUndefined()
    expect(eraFor(modern, { legacy: true })).toBeUndefined()
    expect(eraFor(old, { modern: true })).toBeUndefined()
  })

  it('is the modern one for a client that a stateless server could not ask', () => {
    const stateless = { modern: true, legacy: 'stateless' } as const
    expect(eraFor(old, stateless)).toBe('modern')
    expect(eraFor(mute, stateless)).toBe('legacy')
    expect(eraFor(old, { modern: false, legacy: 'stateless' })).toBe('legacy')
  })
})

describe('what is known of a server', () => {
  it('grows with every connection', () => {
    const first = learnEra({}, 'legacy', aLink('legacy'))
    expect(first).toEqual({ legacy: true })
    expect(learnEra(first, 'modern', aLink('modern'))).toEqual({ legacy: true, modern: true })
    expect(learnEra(first, 'modern', aLink('legacy'))).toEqual({ legacy: true, modern: false })
    expect(learnEra({}, 'legacy', aLink('modern'))).toEqual({ legacy: false, modern: true })
    expect(learnEra({}, 'legacy', aLink('legacy', { canAsk: false }))).toEqual({
      legacy: 'stateless',
    })
  })

  it('needs no second connection to a server of an older version', () => {
    const older = aLink('legacy', { version: '2025-06-18' })
    expect(learnEra({}, 'legacy', older)).toEqual({ legacy: true, modern: false })
    expect(learnEra({ modern: true }, 'legacy', older)).toEqual({ legacy: true, modern: true })
  })

  it('what was tried in vain may be forgotten', () => {
    expect(spokenOnly({ modern: false, legacy: 'stateless' })).toEqual({ legacy: 'stateless' })
    expect(spokenOnly({ modern: true, legacy: false })).toEqual({ modern: true })
  })
})
