import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testNamesStore } from '../../../test/support/test-names-store.ts'
import { createNamesFile } from './names-file.ts'

testNamesStore('a file', {
  async open(source) {
    const { path } = tempFolder()
    return [createNamesFile(path, source), createNamesFile(path, source)]
  },
})

it('names in a file are for its owner alone, and nothing else is left in the folder', async () => {
  const folder = tempFolder()
  const store = createNamesFile(folder.path, 'a')
  await store.replace('', 'text')
  await store.replace('text', 'other')
  const [name = '', ...others] = readdirSync(folder.file('names'))
  expect(others).toEqual([])
  expect(statSync(folder.file(`names/${name}`)).mode & 0o777).toBe(0o600)
})

it('a file of a configuration that was not used for three months is removed with the next write', async () => {
  const folder = tempFolder()
  const [a, b, c] = ['a', 'b', 'c'].map((source) => createNamesFile(folder.path, source))
  const age = (days: number) => {
    const at = Date.now() / 1000 - days * 86_400
    for (const name of readdirSync(folder.file('names')))
      utimesSync(folder.file(`names/${name}`), at, at)
  }
  await a?.replace('', 'a')
  age(2)
  await b?.replace('', 'b')
  age(91)
  await a?.replace('a', 'again')
  await c?.replace('', 'c')
  expect([await a?.read(), await b?.read(), await c?.read()]).toEqual(['again', '', 'c'])
})

it('a file that is far too large is not read, and can be replaced', async () => {
  const folder = tempFolder()
  const store = createNamesFile(folder.path, 'a')
  await store.replace('', 'x')
  const [name = ''] = readdirSync(folder.file('names'))
  writeFileSync(folder.file(`names/${name}`), Buffer.alloc(9 << 20))
  const text = (await store.read()) ?? ''
  expect(text).toBe(`${9 << 20} bytes`)
  expect(await store.replace(text, 'y')).toBe(true)
  expect(await store.read()).toBe('y')
})
