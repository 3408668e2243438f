import { mkdtemp, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineAnalyser } from '../analyse/analyser.ts'
import { TextIndex } from '../text-index.ts'
import { loadTextIndex, saveTextIndex } from './text-index-file.ts'

const fields = { body: { analyser: defineAnalyser({ identifiers: true }) } }

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'index-file-'))
})
afterEach(async () => rm(folder, { recursive: true }))

async function aSavedIndex() {
  const index = new TextIndex(fields)
  for (let n = 0; n < 500; n++) index.set(`d${n}`, { body: `readFile number ${n} päge` })
  const file = { path: join(folder, 'sub', 'test.idx'), format: 'test/1' }
  await saveTextIndex(file, index, { revision: 7 })
  return { index, file }
}

describe('a saved text index', () => {
  it('answers as before, and remembers what it was told', async () => {
    const { index, file } = await aSavedIndex()
    const loaded = await loadTextIndex(file, fields)
    expect(loaded.about).toEqual({ revision: 7 })
    expect(loaded.index.search('file 77')).toEqual(index.search('file 77'))
    loaded.index.set('later', { body: 'something else' })
    expect(loaded.index.search('something')[0]?.id).toBe('later')
  })

  it('comes back empty when it was saved empty, and with its labels when it had some', async () => {
    const file = { path: join(folder, 'test.idx'), format: 'test/1' }
    const index = new TextIndex(fields)
    await saveTextIndex(file, index)
    const { index: empty } = await loadTextIndex(file, fields)
    expect(empty.size).toBe(0)
    empty.set('a', { body: 'something' }, 5)
    await saveTextIndex(file, empty)
    expect((await loadTextIndex(file, fields)).index.labelOf('a')).toBe(5)
  })

  it('is what it was when it was saved, although the index changed meanwhile', async () => {
    const index = new TextIndex(fields)
    for (let n = 0; n < 500; n++) index.set(`d${n}`, { body: `readFile number ${n}` })
    const file = { path: join(folder, 'test.idx'), format: 'test/1' }
    const before = index.search('file 77')
    const saving = saveTextIndex(file, index)
    for (let n = 0; n < 500; n++) index.set(`d${n}`, { body: `writeFile number ${n} again` })
    await saving
    const { index: loaded } = await loadTextIndex(file, fields)
    expect(loaded.search('file 77')).toEqual(before)
    expect(loaded.search('again')).toEqual([])
    expect(index.search('again')).not.toEqual([])
  })

  it('leaves no draft behind', async () => {
    const { file } = await aSavedIndex()
    expect(await readdir(join(file.path, '..'))).toEqual(['test.idx'])
  })

  it('says that it is missing', async () => {
    await expect(
      loadTextIndex({ path: join(folder, 'none'), format: 'test/1' }, fields),
    ).rejects.toMatchObject({ reason: 'missing' })
  })

  it.each([0.001, 0.1, 0.5, 0.999])(
    'says that it is damaged when cut to %f of itself',
    async (part) => {
      const { file } = await aSavedIndex()
      const { length } = await readFile(file.path)
      await truncate(file.path, Math.floor(length * part))
      await expect(loadTextIndex(file, fields)).rejects.toMatchObject({ reason: 'damaged' })
    },
  )

  it('says that it is damaged when a single bit has changed, wherever it is', async () => {
    const { file } = await aSavedIndex()
    const whole = await readFile(file.path)
    for (let at = 0; at < whole.length; at += 997) {
      const bent = Buffer.from(whole)
      bent.writeUInt8(bent.readUInt8(at) ^ 4, at)
      await writeFile(file.path, bent)
      await expect(loadTextIndex(file, fields)).rejects.toMatchObject({ reason: 'damaged' })
    }
  })

  it('says that it has another format', async () => {
    const { file } = await aSavedIndex()
    await expect(loadTextIndex({ ...file, format: 'test/2' }, fields)).rejects.toMatchObject({
      reason: 'other-format',
    })
  })
})
