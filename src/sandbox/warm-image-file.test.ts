import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { loadBoundedWasm } from './bounded-wasm.ts'
import { readWarmImage, toFile } from './warm-image-file.ts'
import { makeWarmImage } from './warm-image.ts'

it('gives back the image that was stored, and none for another module or from a damaged file', async () => {
  const { module, id } = await loadBoundedWasm(32 * 1024 * 1024)
  const made = await makeWarmImage(module)
  const file = tempFolder().file('warm-image.bin')
  expect(readWarmImage(id, file)).toBeUndefined()

  writeFileSync(file, toFile(made, id))
  const read = readWarmImage(id, file)
  expect(read?.tokens).toEqual(made.tokens)
  expect(Buffer.from(made.snapshot.memory).equals(read?.snapshot.memory ?? Buffer.of())).toBe(true)
  expect(readWarmImage('another module', file)).toBeUndefined()

  const whole = readFileSync(file, 'utf8').split('\n', 1)[0] ?? ''
  writeFileSync(file, toFile(made, id).subarray(0, whole.length + 1000))
  expect(readWarmImage(id, file)).toBeUndefined()

  const other = whole.replace(/"prelude":"\w+"/, '"prelude":"another"')
  writeFileSync(file, Buffer.concat([Buffer.from(other), toFile(made, id).subarray(whole.length)]))
  expect(readWarmImage(id, file)).toBeUndefined()
})
