import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadEngine } from './load-engine.ts'
import { readWarmImage, toFile } from './warm-image-file.ts'
import { makeWarmImage } from './warm-image.ts'

it('gives back the image that was stored, and none for another engine or from a damaged file', async () => {
  const engine = await loadEngine(32 * 1024 * 1024)
  const { id } = engine
  const made = await makeWarmImage(engine)
  const file = tempFolder().file('warm-image.bin')
  expect(await readWarmImage(id, file)).toBeUndefined()

  writeFileSync(file, toFile(made, id))
  const read = await readWarmImage(id, file)
  expect(read?.tokens).toEqual(made.tokens)
  const { memory, ...rest } = made.snapshot
  expect(read?.snapshot).toMatchObject(rest)
  expect(Buffer.from(memory).equals(read?.snapshot.memory ?? Buffer.of())).toBe(true)
  expect(await readWarmImage('another engine', file)).toBeUndefined()

  writeFileSync(file, readFileSync(file).subarray(0, -1000))
  expect(await readWarmImage(id, file)).toBeUndefined()
})
