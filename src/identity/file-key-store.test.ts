import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { testKeyStore } from '../../test/support/test-key-store.ts'
import { createFileKeyStore } from './file-key-store.ts'
import { MUTATING } from '../../test/support/mutating.ts'

testKeyStore('a file', {
  async open() {
    const path = tempFolder().file('keys.json')
    return [createFileKeyStore(path), createFileKeyStore(path)]
  },
})

it('keeps no secret, in a file that only its owner may read', async () => {
  const folder = tempFolder()
  const path = folder.file('home/keys.json')
  const { secret } = await createFileKeyStore(path).create('ada')
  expect(readFileSync(path, 'utf8')).not.toContain(secret.slice(20))
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder.file('home')).mode & 0o777).toBe(0o700)
})

it('stops a key at once when another process revokes it', async () => {
  const path = tempFolder().file('keys.json')
  const [serving, cli] = [createFileKeyStore(path), createFileKeyStore(path)]
  const { key, secret } = await serving.create('ada')
  expect(await serving.find(secret)).not.toHaveProperty('revokedAt', expect.any(Number))
  await cli.revoke(key.id)
  expect(serving.find(secret)).toHaveProperty('revokedAt', expect.any(Number))
})

it.skipIf(MUTATING)(
  'loses no key when several processes write at the same time',
  async () => {
    const folder = tempFolder()
    const path = folder.file('keys.json')
    const program = folder.write(
      'create.mts',
      `import { createFileKeyStore } from ${JSON.stringify(new URL('./file-key-store.ts', import.meta.url).href)}
     const store = createFileKeyStore(${JSON.stringify(path)})
     for (let i = 0; i < 8; i++) await store.create('ada')`,
    )
    const execArgv = ['--import', import.meta.resolve('tsx')]
    const children = [1, 2, 3].map(() => fork(program, { execArgv }))
    const codes = await Promise.all(children.map(async (child) => once(child, 'exit')))
    expect(codes.map(([code]: unknown[]) => code)).toEqual([0, 0, 0])
    expect(await createFileKeyStore(path).list()).toHaveLength(24)
  },
  20_000,
)

it('takes over a lock that a dead process left behind', async () => {
  const folder = tempFolder()
  const lock = folder.write('keys.json.lock', '')
  utimesSync(lock, 0, 0)
  const { key } = await createFileKeyStore(folder.file('keys.json')).create('ada')
  expect(key.agent).toBe('ada')
})

it('says that the store cannot be read instead of knowing no keys', async () => {
  const path = tempFolder().file('keys.json')
  const store = createFileKeyStore(path)
  const { secret } = await store.create('ada')
  writeFileSync(path, '{"version": 1, "keys": [{}]}')
  await expect(async () => store.find(secret)).rejects.toThrow(/cannot be read/)
})

it('gives roles and ends where they are set, and forgets all keys with the file', async () => {
  const path = tempFolder().file('keys.json')
  const store = createFileKeyStore(path)
  const [plain, agent, viewer] = [
    await store.create('ada'),
    await store.create('ada', { role: 'agent' }),
    await store.create('ada', { role: 'viewer', expiresAt: 5 }),
  ]
  for (const { key } of [plain, agent]) {
    expect(key).not.toHaveProperty('role')
    expect(key).not.toHaveProperty('expiresAt')
  }
  expect(viewer.key).toMatchObject({ role: 'viewer', expiresAt: 5 })
  expect(await store.find(plain.secret)).toBe(await store.find(plain.secret))
  rmSync(path)
  expect(await store.find(plain.secret)).toBeUndefined()
  expect(await store.list()).toEqual([])
})

it('says what to do about a file that cannot be read', async () => {
  const path = tempFolder().write('keys.json', '{')
  await expect(createFileKeyStore(path).list()).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    details: { hint: expect.stringContaining('Restore the file') },
  })
})
