import { expect, it } from 'vitest'
import { describeMissing } from '../../config/servers/missing-variables.ts'
import type { Server } from '../contract/servers.ts'
import { findNotes } from './notes.ts'

const SERVER: Server = {
  name: 'far',
  kind: 'http',
  builtin: null,
  description: null,
  folder: null,
  location: null,
  program: null,
  file: null,
  state: 'ready',
  since: null,
  era: 'legacy',
  breaker: 'closed',
  restarts: 5,
  sessionsLost: 0,
  connections: 1,
  leftOut: [],
  heldCount: 0,
  error: null,
  retryAt: null,
  lastError: null,
  toolCount: 1,
  toolTokens: 1,
  calls: null,
}

const notesOn = (server: Partial<Server>, last_error: string | null = null) => {
  const sources = {
    config: { warnings: [], rules: {} },
    reloads: { status: { settings: { last_error } } },
    auditLog: { status: { dropped: 0 } },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other part is read
  return findNotes(sources as never, [{ ...SERVER, ...server }])
}

it('warns of a server that forgets our sessions, not of one that was restarted', () => {
  expect(notesOn({ sessionsLost: 4 })).toEqual([])
  expect(notesOn({ sessionsLost: 14 })).toMatchObject([
    {
      level: 'warning',
      text: 'Server "far" lost 14 of the gateway\'s sessions in the last hour',
    },
  ])
  expect(notesOn({ state: 'down', error: 'gone', sessionsLost: 14 })).toMatchObject([
    { level: 'error' },
  ])
})

it('names no file where the mistake of a reload is not in one', () => {
  const [note] = notesOn({}, 'environment: PORTOLAN_LIMITS_RATE must be a number')
  expect(note).toMatchObject({
    text: expect.stringContaining('environment: '),
    hint: expect.not.stringContaining('file'),
  })
})

it('says how to store the variable that a server lacks', () => {
  const lacking = { kind: 'broken', state: 'down', error: describeMissing(['STRIPE_KEY']) } as const
  expect(notesOn(lacking)).toContainEqual(
    expect.objectContaining({ level: 'error', hint: 'portolan secrets set STRIPE_KEY' }),
  )
})
