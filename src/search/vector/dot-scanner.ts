import { DOT_PRODUCTS_WASM } from './dot-products-wasm.ts'

/** Rows of 8-bit numbers that can all be multiplied with a query. */
export interface DotScanner {
  /** All rows, one after the other; a new array after `reserve`. */
  readonly rows: Int8Array
  /** Makes room for this many rows, keeping the existing ones. */
  reserve(count: number): void
  /** The dot product of the query with each of the first `count` rows, until the next call. */
  scan(query: Int16Array, count: number): Int32Array
}

/** The part of WebAssembly used here; neither Node's types nor TypeScript's own declare it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number }) => {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, object>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> }
  validate(bytes: Uint8Array): boolean
}

const PAGE_BYTES = 65_536
const MAX_PAGES = 65_536
/** Rows are scanned in blocks, so that the space for results does not grow with their number. */
const BLOCK = 4096

/** A scanner in WebAssembly SIMD: ten times as fast as plain JavaScript. */
export function createWasmScanner(dimension: number): DotScanner {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES })
  const module = new WebAssembly.Module(Buffer.from(DOT_PRODUCTS_WASM, 'base64'))
  const { exports } = new WebAssembly.Instance(module, { host: { memory } })
  // dot-products.wat exports this function.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const dots = exports['dots'] as (...numbers: number[]) => void
  const outAt = dimension * 2
  const rowsAt = outAt + BLOCK * 4
  let rows = new Int8Array(memory.buffer, 0, 0)
  let results = new Int32Array(0)

  function reserve(count: number): void {
    const pages = Math.ceil((rowsAt + count * dimension) / PAGE_BYTES)
    const more = pages - memory.buffer.byteLength / PAGE_BYTES
    if (more > 0) memory.grow(more)
    const capacity = Math.floor((memory.buffer.byteLength - rowsAt) / dimension)
    rows = new Int8Array(memory.buffer, rowsAt, capacity * dimension)
  }
  reserve(0)

  return {
    get rows() {
      return rows
    },
    reserve,
    scan(query, count) {
      if (results.length < count) results = new Int32Array(Math.ceil(count * 1.5))
      new Int16Array(memory.buffer, 0, dimension).set(query)
      for (let from = 0; from < count; from += BLOCK) {
        const here = Math.min(BLOCK, count - from)
        dots(0, rowsAt + from * dimension, here, dimension, outAt)
        results.set(new Int32Array(memory.buffer, outAt, here), from)
      }
      return results
    },
  }
}

/** The same in plain JavaScript, for machines without SIMD. */
export function createPlainScanner(dimension: number): DotScanner {
  let rows = new Int8Array(0)
  return {
    get rows() {
      return rows
    },
    reserve(count) {
      if (count * dimension <= rows.length) return
      const longer = new Int8Array(count * dimension)
      longer.set(rows)
      rows = longer
    },
    scan(query, count) {
      const results = new Int32Array(count)
      for (let row = 0, at = 0; row < count; row++) {
        let sum = 0
        for (let n = 0; n < dimension; n++, at++) sum += (query[n] ?? 0) * (rows[at] ?? 0)
        results[row] = sum
      }
      return results
    },
  }
}

export function createScanner(dimension: number): DotScanner {
  const bytes = Buffer.from(DOT_PRODUCTS_WASM, 'base64')
  return WebAssembly.validate(bytes) ? createWasmScanner(dimension) : createPlainScanner(dimension)
}
