import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLocalPasses } from './local-passes.ts'

const PORT = 7411
const START = Date.parse('2026-11-19T10:00:00Z')

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** The passes of a data folder, as its gateway and as its command line have them. */
function aFolder(secret = randomBytes(32)) {
  return { gateway: createLocalPasses(() => secret), shell: createLocalPasses(() => secret) }
}

it('accepts the passes of its own data folder, each for its purpose and port alone', () => {
  const { gateway, shell } = aFolder()
  const pass = shell.issue('command', PORT)
  expect(gateway.accepts(pass, 'command', PORT)).toBe(true)
  expect(gateway.accepts(pass, 'command', PORT + 1)).toBe(false)
  expect(gateway.accepts(pass, 'session', PORT)).toBe(false)
  expect(aFolder().gateway.accepts(pass, 'command', PORT)).toBe(false)
})

it.each(['', 'ptl_', 'ptl_.', 'ptl_1.2', 'ptl_m.x.y', 'ptk_000000000000_x', '…'])(
  'refuses what only looks like a pass: %j',
  (pass) => expect(aFolder().gateway.accepts(pass, 'command', PORT)).toBe(false),
)

it('refuses a pass of which anything was changed', () => {
  const { gateway, shell } = aFolder()
  const pass = shell.issue('command', PORT)
  for (let at = 0; at < pass.length; at++) {
    const other = pass[at] === 'A' ? 'B' : 'A'
    const changed = pass.slice(0, at) + other + pass.slice(at + 1)
    expect(gateway.accepts(changed, 'command', PORT), `at ${at}`).toBe(false)
  }
})

it.each([
  ['command', 60_000],
  ['link', 300_000],
  ['session', 12 * 3_600_000],
] as const)('accepts a %s for %i ms, and none of the future', (purpose, validMs) => {
  const { gateway, shell } = aFolder()
  const pass = shell.issue(purpose, PORT)
  vi.setSystemTime(START + validMs)
  expect(gateway.accepts(pass, purpose, PORT)).toBe(true)
  vi.setSystemTime(START + validMs + 1)
  expect(gateway.accepts(pass, purpose, PORT)).toBe(false)
  vi.setSystemTime(START - validMs - 1)
  expect(gateway.accepts(pass, purpose, PORT)).toBe(false)
})

it('refuses what was handed out before its start: another program may have listened there', () => {
  const secret = randomBytes(32)
  const { shell } = aFolder(secret)
  const [command, link, session] = (['command', 'link', 'session'] as const).map((purpose) =>
    shell.issue(purpose, PORT),
  )
  vi.setSystemTime(START + 1)
  const restarted = createLocalPasses(() => secret)
  expect(restarted.accepts(command ?? '', 'command', PORT)).toBe(false)
  expect(restarted.redeem(link ?? '', PORT)).toBeUndefined()
  expect(restarted.accepts(session ?? '', 'session', PORT), 'a browser stays signed in').toBe(true)
})

it('opens one session with a link, and none with the same link again', () => {
  const { gateway, shell } = aFolder()
  const link = shell.issue('link', PORT)
  const session = gateway.redeem(link, PORT) ?? ''
  expect(gateway.accepts(session, 'session', PORT)).toBe(true)
  expect(gateway.redeem(link, PORT)).toBeUndefined()
  vi.setSystemTime(START + 300_000)
  expect(gateway.redeem(link, PORT), 'while it would still be valid').toBeUndefined()
  expect(gateway.redeem(shell.issue('link', PORT), PORT)).toBeDefined()
})

it('gives each session a proof of its own, which the session does not reveal', () => {
  const { gateway, shell } = aFolder()
  const [one, other] = [shell.issue('session', PORT), shell.issue('session', PORT)]
  expect(gateway.proofOf(one)).toBe(shell.proofOf(one))
  expect(gateway.proofOf(one)).not.toBe(gateway.proofOf(other))
  expect(one).not.toContain(gateway.proofOf(one))
})
