import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { deferred } from '../../test/support/deferred.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { withLock, writeSecretFile } from './safe-file.ts'

it('puts a whole file in place, for its owner only, and leaves no draft', async () => {
  const folder = tempFolder()
  const path = folder.file('own/keys.json')
  await writeSecretFile(path, 'one')
  await writeSecretFile(path, 'two')
  expect(readFileSync(path, 'utf8')).toBe('two')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder.file('own')).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder.file('own'))).toEqual(['keys.json'])
})

it('leaves no draft where the file cannot be put in place', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('taken/inside'), { recursive: true })
  await expect(writeSecretFile(folder.file('taken'), 'text')).rejects.toThrow(
    /EISDIR|ENOTEMPTY|EEXIST|EPERM/,
  )
  expect(readdirSync(folder.path)).toEqual(['taken'])
})

it('has those who share a file take turns, also when one of them fails', async () => {
  const path = tempFolder().file('shared')
  const first = deferred<void>()
  const order: string[] = []
  const one = withLock(path, async () => {
    await first.promise
    order.push('one')
    throw new Error('failed')
  })
  await expect.poll(() => existsSync(`${path}.lock`)).toBe(true)
  const two = withLock(path, async () => order.push('two'))
  const other = await withLock(tempFolder().file('other'), async () => order.push('other'))
  expect([other, order]).toEqual([1, ['other']])
  first.resolve()
  await expect(one).rejects.toThrow('failed')
  await two
  expect(order).toEqual(['other', 'one', 'two'])
  expect(existsSync(`${path}.lock`)).toBe(false)
})

it('gives up after a while, and says which file to remove', async () => {
  const path = tempFolder().file('shared')
  writeFileSync(`${path}.lock`, '')
  const work = vi.fn()
  await expect(withLock(path, work, 40)).rejects.toThrow(`${path}.lock is held by another process`)
  expect(work).not.toHaveBeenCalled()
  expect(existsSync(`${path}.lock`)).toBe(true)
})

it.each([
  ['a minute ago', -60],
  ['an hour from now, before the clock was set back', 3_600],
])('takes over a lock that was last touched %s', async (_, seconds) => {
  const path = tempFolder().file('shared')
  writeFileSync(`${path}.lock`, '')
  const at = new Date(Date.now() + seconds * 1_000)
  utimesSync(`${path}.lock`, at, at)
  expect(await withLock(path, async () => 'done', 40)).toBe('done')
})

it('is taken over by one of those who wait, not by all', async () => {
  const folder = tempFolder()
  const before = new Date(Date.now() - 60_000)
  for (let round = 0; round < 20; round++) {
    const path = folder.file(`shared-${round}`)
    writeFileSync(`${path}.lock`, '')
    utimesSync(`${path}.lock`, before, before)
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await sleep(1)
      running--
    }
    await Promise.all(Array.from({ length: 8 }, async () => withLock(path, work)))
    expect(most).toBe(1)
  }
  expect(readdirSync(folder.path)).toEqual([])
})

it('is left alone by a holder that it was taken over from', async () => {
  const path = tempFolder().file('shared')
  await withLock(path, async () => writeFileSync(`${path}.lock`, 'of another process'))
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe('of another process')
})

it('touches the lock that it holds, so that nobody takes it over', async () => {
  const path = tempFolder().file('shared')
  await withLock(path, async () => {
    const before = new Date(Date.now() - 60_000)
    utimesSync(`${path}.lock`, before, before)
    const touched = () => Date.now() - statSync(`${path}.lock`).mtimeMs < 30_000
    await expect.poll(touched, { timeout: 30_000 }).toBe(true)
  })
})

it('does not take another failure for a lock that is held', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('long'))
  await expect(
    withLock(folder.file(`long/${'x'.repeat(252)}`), async () => 'done', 60_000),
  ).rejects.toThrow('ENAMETOOLONG')
})
