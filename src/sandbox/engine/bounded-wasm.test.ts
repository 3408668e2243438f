import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { withMaximum } from './bounded-wasm.ts'

/** The little of WebAssembly that is used here; neither Node's types nor the language's declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (
    module: object,
    imports: object,
  ) => { exports: { memory: { grow(pages: number): number; buffer: ArrayBuffer } } }
}

/** `(module (memory (export "memory") 1))` */
const ONE_PAGE = Buffer.from('0061736d010000000503010001070a01066d656d6f72790200', 'hex')

const MIB = 1024 * 1024

const memoryOf = (bytes: Uint8Array) =>
  new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports.memory

it('writes the most memory that there can ever be into a module', () => {
  expect(memoryOf(ONE_PAGE).grow(200)).toBe(1)
  const bounded = memoryOf(withMaximum(ONE_PAGE, 200 * 65_536))
  expect(bounded.grow(199)).toBe(1)
  expect(() => bounded.grow(1)).toThrow(/maximum/i)
  expect(bounded.buffer.byteLength).toBe(200 * 65_536)
})

it('knows the engine that is installed, and refuses one that it does not know', () => {
  const path = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm')
  const bytes = readFileSync(path)
  const bounded = withMaximum(bytes, MIB)
  expect(bounded.length).toBeGreaterThan(bytes.length)
  expect(() => withMaximum(bounded, MIB)).toThrow('does not know')
  expect(() => withMaximum(bytes.subarray(0, 8), MIB)).toThrow('no memory section')
})
