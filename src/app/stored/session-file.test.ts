import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import type { SessionFacts } from '../../fronts/session-store.ts'
import { createSessionFile } from './session-file.ts'

const FACTS: SessionFacts = {
  fingerprint: 'of a key',
  info: { name: 'a client' },
  capabilities: { roots: {} },
  logLevel: 'info',
  watched: ['x:1'],
  greeted: true,
}

const fail = (error: unknown) => {
  throw error
}

it('gives a session back to the next process, until its client was silent for too long', async () => {
  const path = tempFolder().file('sessions/one.json')
  const first = createSessionFile(path, 60_000, fail)
  await first.save('an-id', FACTS)
  await first.save('ended', FACTS)
  await first.remove('ended')
  await first.close?.()
  expect(readFileSync(path, 'utf8')).not.toContain('an-id')
  expect(statSync(path).mode & 0o777).toBe(0o600)

  const next = createSessionFile(path, 60_000, fail)
  expect(await next.load('an-id')).toEqual(FACTS)
  expect(await next.load('ended')).toBeUndefined()
  expect(await createSessionFile(path, 0, fail).load('an-id')).toBeUndefined()
})

it('writes by itself soon after a change, and keeps what an earlier process stored', async () => {
  const path = tempFolder().file('one.json')
  const first = createSessionFile(path, 60_000, fail)
  await first.save('a', FACTS)
  await first.close?.()
  const next = createSessionFile(path, 60_000, fail)
  await next.save('b', FACTS)
  await expect.poll(async () => createSessionFile(path, 60_000, fail).load('b')).toEqual(FACTS)
  expect(await createSessionFile(path, 60_000, fail).load('a')).toEqual(FACTS)
})

it('keeps the sessions that were saved last', async () => {
  const path = tempFolder().file('one.json')
  const store = createSessionFile(path, 60_000, fail)
  for (let n = 0; n < 1_001; n++) await store.save(`id ${n}`, FACTS)
  await store.save('id 0', FACTS)
  await store.close?.()
  const next = createSessionFile(path, 60_000, fail)
  expect(await next.load('id 0')).toEqual(FACTS)
  expect(await next.load('id 1')).toBeUndefined()
  expect(await next.load('id 2')).toEqual(FACTS)
})

it('starts without sessions from a damaged file, and says when it cannot write', async () => {
  const folder = tempFolder()
  writeFileSync(folder.file('one.json'), '{"torn')
  const store = createSessionFile(folder.file('one.json'), 60_000, fail)
  expect(await store.load('a')).toBeUndefined()
  const failed = vi.fn()
  const nowhere = createSessionFile(folder.file('one.json/below'), 60_000, failed)
  for (const id of ['a', 'b']) {
    await nowhere.save(id, FACTS)
    await nowhere.close?.()
  }
  expect(failed).toHaveBeenCalledOnce()
})
