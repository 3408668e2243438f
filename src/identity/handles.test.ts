import { createHmac } from 'node:crypto'
import fs, { statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createHandles } from './handles.ts'

const MINUTE = 60_000

function someHandles() {
  const secretFile = tempFolder().file('handle-secret')
  const clock = { now: 1_000_000 }
  return { handles: createHandles(secretFile, () => clock.now), clock, secretFile }
}

it('gives back the agent, its parent and its limits', () => {
  const { handles, clock } = someHandles()
  const within = { servers: ['pg'], tools: { pg: ['query'] } }
  const { secret, expiresAt } = handles.mint({
    parent: { id: 'lead' },
    agent: 'helper',
    ttlMs: MINUTE,
    within,
  })
  expect(expiresAt).toBe(clock.now + MINUTE)
  expect(handles.verify(secret)).toEqual({
    id: 'helper',
    proof: 'handle',
    ancestors: ['lead'],
    within: [within],
    expiresAt,
  })
  expect(handles.verify(secret)).toBe(handles.verify(secret))
})

it('acts for the person its parent acts for', () => {
  const { handles } = someHandles()
  const person = { user: 'ada@example.com', id: 'r1', groups: ['platform'], claims: { team: 'x' } }
  const mint = (parent: Parameters<typeof handles.mint>[0]['parent']) =>
    handles.verify(handles.mint({ parent, agent: 'helper', ttlMs: MINUTE }).secret)
  const first = mint({ id: 'ada@example.com', person, accountId: 'a1', client: 'Editor' })
  expect(mint(first)).toMatchObject({
    person,
    accountId: 'a1',
    client: 'Editor',
    ancestors: ['helper', person.user],
  })
  expect(mint({ id: 'ada' }).person).toBeUndefined()
})

it('ends on time, also when it was seen before', () => {
  const { handles, clock } = someHandles()
  const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  handles.verify(secret)
  clock.now += MINUTE
  expect(() => handles.verify(secret)).toThrow('The handle has expired')
})

it('does not believe a handle whose content was changed', () => {
  const { handles } = someHandles()
  const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  const [payload = '', signature = ''] = secret.slice('pth_'.length).split('.')
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const raised = Buffer.from(JSON.stringify({ ...claims, ancestors: ['admin'] }))
  expect(() => handles.verify(`pth_${raised.toString('base64url')}.${signature}`)).toThrow(
    'not minted by this gateway',
  )
  expect(() => handles.verify(`pth_${payload}.`)).toThrow('not minted by this gateway')
  expect(() => handles.verify('pth_')).toThrow('not minted by this gateway')
})

it('does not believe the handle of another installation', () => {
  const { secret } = someHandles().handles.mint({
    parent: { id: 'lead' },
    agent: 'helper',
    ttlMs: MINUTE,
  })
  expect(() => someHandles().handles.verify(secret)).toThrow('not minted by this gateway')
})

it('is known to every process that shares the data folder', () => {
  const { handles, secretFile, clock } = someHandles()
  const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  expect(createHandles(secretFile, () => clock.now).verify(secret).id).toBe('helper')
  expect(statSync(secretFile).mode & 0o777).toBe(0o600)
})

it('hands on no more than it has: limits add up and the end does not move', () => {
  const { handles, clock } = someHandles()
  const first = { servers: ['pg', 'files'] }
  const second = { servers: ['*'] }
  const { secret } = handles.mint({
    parent: { id: 'lead' },
    agent: 'helper',
    ttlMs: MINUTE,
    within: first,
  })
  const helper = handles.verify(secret)
  const grandchild = handles.verify(
    handles.mint({ parent: helper, agent: 'tiny', ttlMs: 10 * MINUTE, within: second }).secret,
  )
  expect(grandchild).toMatchObject({ ancestors: ['helper', 'lead'], within: [second, first] })
  expect(grandchild.expiresAt).toBe(clock.now + MINUTE)
})

it.each([0, -1, Number.NaN, 25 * 60 * MINUTE])('refuses a life of %s ms', (ttlMs) => {
  const { handles } = someHandles()
  expect(() => handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs })).toThrow(
    'at most 24 hours',
  )
})

it.each(['', 'c2hvcnQ', Buffer.alloc(31, 1).toString('base64url')])(
  'refuses a secret that is too short: "%s"',
  (content) => {
    const secretFile = tempFolder().file('handle-secret')
    writeFileSync(secretFile, content)
    expect(() => createHandles(secretFile)).toThrow(/handle-secret holds \d+ bytes instead of 32/)
    expect(() => createHandles(Buffer.from(content, 'base64url'))).toThrow('instead of 32')
    writeFileSync(secretFile, `${Buffer.alloc(32, 1).toString('base64url')}\n`)
    const handles = createHandles(secretFile)
    const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
    expect(handles.verify(secret).id).toBe('helper')
  },
)

it('has its secret and the name of it on the disk before a handle is signed with it', () => {
  const synced: boolean[] = []
  const { fsyncSync } = fs
  vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
    synced.push(fs.fstatSync(file).isDirectory())
    fsyncSync(file)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
  someHandles().handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  expect(synced).toEqual([false, true])
})

it.each(['*', 'a<b', 'a|b', 'a b', '', 'ptk_0123456789ab'])('is not minted for "%s"', (agent) => {
  const { handles } = someHandles()
  const mint = (name: string) =>
    handles.mint({ parent: { id: 'lead' }, agent: name, ttlMs: MINUTE })
  expect(() => mint(agent)).toThrow(`"${agent}" is not an agent id`)
  expect(handles.verify(mint('a-b').secret).id).toBe('a-b')
})

it('lives for a whole day at most, and a millisecond at least', () => {
  const { handles, clock } = someHandles()
  const mint = (ttlMs: number) => handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs })
  expect(mint(24 * 60 * MINUTE).expiresAt).toBe(clock.now + 24 * 60 * MINUTE)
  expect(mint(1).expiresAt).toBe(clock.now + 1)
  expect(() => mint(24 * 60 * MINUTE + 1)).toThrow('at most 24 hours')
})

it('carries the key that it comes from, and the limits of its parent where it has none', () => {
  const { handles } = someHandles()
  const within = [{ tools: { pg: ['query'] } }]
  const parent = { id: 'lead', key: 'k1', within }
  const { secret } = handles.mint({ parent, agent: 'helper', ttlMs: MINUTE })
  expect(handles.verify(secret)).toMatchObject({ key: 'k1', within })
  const plain = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  expect(handles.verify(plain.secret)).not.toHaveProperty('key')
})

it('is not believed when what is signed says something else than a handle does', () => {
  const key = Buffer.alloc(32, 1)
  const handles = createHandles(key, () => 0)
  const claims = { id: 'helper', ancestors: ['lead'], within: [], expiresAt: MINUTE }
  const signed = (content: object) => {
    const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
    const signature = createHmac('sha256', key).update(payload).digest('base64url')
    return `pth_${payload}.${signature}`
  }
  expect(handles.verify(signed(claims))).toMatchObject({ id: 'helper', proof: 'handle' })
  for (const wrong of [
    { ...claims, ancestors: [] },
    { ...claims, role: 'admin' },
    { id: 'helper' },
  ])
    expect(() => handles.verify(signed(wrong))).toThrow('not minted by this gateway')
})

it('remembers a bounded number of handles, and the same ones meanwhile', () => {
  const { handles } = someHandles()
  const mint = (agent: string) =>
    handles.mint({ parent: { id: 'lead' }, agent, ttlMs: MINUTE }).secret
  const secret = mint('first')
  const first = handles.verify(secret)
  for (let n = 0; n < 1_022; n++) handles.verify(mint(`helper${n}`))
  expect(handles.verify(secret)).toBe(first)
  for (let n = 0; n < 4; n++) handles.verify(mint(`late${n}`))
  expect(handles.verify(secret)).not.toBe(first)
  expect(handles.verify(secret)).toEqual(first)
})

it('has the effects, the key and the client of its parent, and none where that has none', () => {
  const { handles } = someHandles()
  const mint = (parent: Parameters<typeof handles.mint>[0]['parent']) =>
    handles.verify(handles.mint({ parent, agent: 'helper', ttlMs: MINUTE }).secret)
  expect(mint({ id: 'lead', effects: ['read'], key: 'k1', client: 'editor' })).toMatchObject({
    effects: ['read'],
    key: 'k1',
    client: 'editor',
  })
  const plain = mint({ id: 'lead' })
  for (const name of ['effects', 'key', 'client', 'person']) expect(plain).not.toHaveProperty(name)
})

it('says what to do about a handle that has ended, is forged, or cannot be minted', () => {
  const { handles, clock } = someHandles()
  const { secret } = handles.mint({ parent: { id: 'lead' }, agent: 'helper', ttlMs: MINUTE })
  clock.now += MINUTE
  for (const handle of [secret, `${secret.slice(0, -4)}AAAA`])
    expect(() => handles.verify(handle)).toThrow(
      expect.objectContaining({
        code: 'UNAUTHENTICATED',
        details: expect.objectContaining({ hint: 'Ask the parent agent for a new one.' }),
      }),
    )
  expect(() => handles.mint({ parent: { id: 'lead' }, agent: 'a b', ttlMs: MINUTE })).toThrow(
    expect.objectContaining({ code: 'INVALID_PARAMS', message: '"a b" is not an agent id' }),
  )
})
