import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { packageFile } from '../../../base/files/package-files.ts'
import { modelBytes, readModel } from './model-bytes.ts'
import { StaticEncoder } from './static-encoder.ts'
import { parseModel } from './static-model.ts'
import { Tokeniser } from './tokeniser.ts'

/** Written by the reference encoder that the model was trained with. */
const reference = z
  .object({
    pairs: z.array(z.tuple([z.string(), z.string(), z.number()])),
    tokens: z.array(z.tuple([z.string(), z.array(z.number())])),
    vector: z.tuple([z.string(), z.array(z.number())]),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'reference-vectors.json'), 'utf8')))

const model = parseModel(modelBytes())
const encoder = new StaticEncoder(model)
const dot = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)

describe('the encoder of the model in the package', () => {
  it.each(reference.pairs)('puts "%s" and "%s" as near as the reference', (a, b, cosine) => {
    expect(dot(encoder.embed(a), encoder.embed(b))).toBeCloseTo(cosine, 3)
  })

  it.each(reference.tokens)('cuts "%s" as the reference does', (text, tokens) => {
    expect(new Tokeniser(model.tokens).tokens(text, 100)).toEqual(tokens)
  })

  it('gives the numbers of the reference', () => {
    const [text, start] = reference.vector
    const vector = encoder.embed(text)
    for (const [at, value] of start.entries()) expect(vector[at]).toBeCloseTo(value, 4)
    expect(dot(vector, vector)).toBeCloseTo(1)
  })

  it('keeps the first axes when fewer are asked for', () => {
    const short = new StaticEncoder(model, 64)
    expect(short.embed('delete a file')).toHaveLength(64)
    expect(dot(short.embed('delete a file'), short.embed('remove a document'))).toBeGreaterThan(0.4)
  })

  it('is not changed by a text that came before', () => {
    const before = encoder.embed('send an email')
    encoder.embed('email email email send send')
    expect(encoder.embed('send an email')).toEqual(before)
  })

  it('reads a very long text only so far', () => {
    const start = 'open the browser and go to a page. '.repeat(400)
    expect(encoder.embed(`${start} ${'x1 '.repeat(1e6)}`)).toEqual(encoder.embed(start))
  })
})

describe('the file of the model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-'))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is refused when it is damaged or missing, with what to do', () => {
    const file = join(folder, 'model.bin')
    const bytes = readFileSync(packageFile('assets/models', 'portolan-static-1.bin'))
    writeFileSync(file, bytes)
    expect(readModel(file, 0xd719446f).byteLength).toBe(bytes.length)
    bytes[5_000_000] = (bytes[5_000_000] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(() => readModel(file, 0xd719446f)).toThrow(/is damaged .*Install portolan again/)
    expect(() => readModel(join(folder, 'none.bin'), 0)).toThrow(/cannot be read.*Install/)
  })

  it('is in memory once, whichever thread uses it', async () => {
    expect(modelBytes()).toBe(modelBytes())
    const bytes = new Uint8Array(modelBytes())
    const padding = 331
    const before = bytes[padding] ?? 0
    const worker = new Worker(
      `const { workerData } = require('node:worker_threads')
       new Uint8Array(workerData)[${padding}] = 7`,
      { eval: true, workerData: modelBytes() },
    )
    await new Promise((resolve) => worker.once('exit', resolve))
    const seen = bytes[padding]
    bytes[padding] = before
    expect(seen).toBe(7)
  })
})
