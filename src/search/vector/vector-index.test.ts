import { describe, expect, it } from 'vitest'
import { compileDotProducts } from '../../../scripts/build-wasm.ts'
import { DOT_PRODUCTS_WASM } from './dot-products-wasm.ts'
import { createPlainScanner, createWasmScanner } from './dot-scanner.ts'
import { VectorIndex } from './vector-index.ts'

/** Reproducible vectors in a few loose clusters, as embeddings are. */
function vectors(count: number, dimension: number, seed = 1): Float32Array[] {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  const centres = Array.from({ length: 8 }, () => Float32Array.from({ length: dimension }, next))
  return Array.from({ length: count }, (_, n) =>
    Float32Array.from({ length: dimension }, (__, at) => (centres[n % 8]?.[at] ?? 0) + next()),
  )
}

function cosine(a: Float32Array, b: Float32Array): number {
  let ab = 0
  let aa = 0
  let bb = 0
  for (const [at, value] of a.entries()) {
    ab += value * (b[at] ?? 0)
    aa += value * value
    bb += (b[at] ?? 0) ** 2
  }
  return ab / Math.sqrt(aa * bb)
}

function anIndex(all: readonly Float32Array[], scanner = createWasmScanner): VectorIndex {
  const index = new VectorIndex({ dimension: all[0]?.length ?? 0, scanner })
  for (const [n, vector] of all.entries()) index.set(`v${n}`, vector)
  return index
}

const accept = (id: string) => id.endsWith('77')

describe('the WebAssembly module', () => {
  it('is what its source compiles to', async () => {
    expect(await compileDotProducts()).toBe(DOT_PRODUCTS_WASM)
  })

  it('multiplies as plain JavaScript does, the extremes included', () => {
    const dimension = 48
    const rows = Int8Array.from({ length: dimension * 9000 }, (_, n) => ((n * 37) % 256) - 128)
    const query = Int16Array.from({ length: dimension }, (_, n) => (n % 2 ? 127 : -128))
    const results = [createWasmScanner, createPlainScanner].map((create) => {
      const scanner = create(dimension)
      scanner.reserve(9000)
      scanner.rows.set(rows)
      return scanner.scan(query, 9000).slice(0, 9000)
    })
    expect(results[0]).toEqual(results[1])
  })
})

describe.each([
  ['WebAssembly', createWasmScanner],
  ['plain JavaScript', createPlainScanner],
])('VectorIndex in %s', (_, scanner) => {
  const all = vectors(3000, 50)

  it('finds the same nearest vectors as floats do, with their cosines', () => {
    const index = anIndex(all, scanner)
    for (const query of vectors(20, 50, 99)) {
      const exact = all
        .map((vector, n) => ({ id: `v${n}`, score: Math.max(0, cosine(query, vector)) }))
        .toSorted((a, b) => b.score - a.score)
        .slice(0, 10)
      const found = index.search(query, { limit: 10 })
      expect(found.map(({ id }) => id)).toEqual(exact.map(({ id }) => id))
      for (const [at, hit] of found.entries())
        expect(hit.score).toBeCloseTo(exact[at]?.score ?? 0, 4)
    }
  })

  it('answers only what the filter accepts', () => {
    const index = anIndex(all, scanner)
    const hits = index.search(all[0] ?? new Float32Array(50), { limit: 5, accept })
    expect(hits).toHaveLength(5)
    expect(hits.every(({ id }) => accept(id))).toBe(true)
  })

  it('forgets what is deleted and finds what has moved', () => {
    const index = anIndex(all, scanner)
    for (let n = 0; n < 3000; n += 2) expect(index.delete(`v${n}`)).toBe(true)
    expect(index.size).toBe(1500)
    for (const n of [1, 1499, 2999])
      expect(index.search(all[n] ?? new Float32Array(50), { limit: 1 })[0]?.id).toBe(`v${n}`)
    expect(index.search(all[10] ?? new Float32Array(50), { limit: 1 })[0]?.id).not.toBe('v10')
  })

  it('comes back from its saved state', () => {
    const index = anIndex(all, scanner)
    const back = new VectorIndex({ dimension: 50, scanner }, index.state())
    const query = all[5] ?? new Float32Array(50)
    expect(back.search(query, { limit: 3 })).toEqual(index.search(query, { limit: 3 }))
    back.set('new', query)
    expect(back.size).toBe(3001)
  })
})

describe('VectorIndex', () => {
  it('refuses vectors and saved states of another model', () => {
    const index = anIndex(vectors(3, 16))
    expect(() => index.set('x', new Float32Array(8))).toThrow(/16 numbers/)
    expect(() => new VectorIndex({ dimension: 8 }, index.state())).toThrow(/embed again/)
  })

  it('stops at its memory limit with a message', () => {
    const index = new VectorIndex({ dimension: 16, maxBytes: 16 * 2 * 3 })
    for (const [n, vector] of vectors(3, 16).entries()) index.set(`v${n}`, vector)
    expect(() => index.set('more', new Float32Array(16))).toThrow(/full at 3/)
  })

  it('gives a vector of zeros no neighbours and no harm', () => {
    const index = anIndex(vectors(4, 16))
    index.set('zero', new Float32Array(16))
    const hits = index.search(vectors(1, 16)[0] ?? new Float32Array(16), { limit: 5 })
    expect(hits.find(({ id }) => id === 'zero')?.score).toBe(0)
  })
})

describe('cosines of single vectors', () => {
  it('gives every vector its own, near to exact, and none to an unknown id', () => {
    const all = vectors(300, 64)
    const query = vectors(1, 64, 9)[0] ?? new Float32Array()
    const index = anIndex(all)
    const scanned = index.cosines(query)
    const exact = index.cosineOf(query)
    for (const [n, vector] of all.entries()) {
      const wanted = cosine(query, vector)
      expect(Math.abs((scanned[index.rowOf(`v${n}`) ?? -1] ?? 9) - wanted)).toBeLessThan(0.01)
      expect(Math.abs((exact(`v${n}`) ?? 9) - Math.max(0, wanted))).toBeLessThan(0.001)
    }
    expect(index.rowOf('unknown')).toBeUndefined()
    expect(exact('unknown')).toBeUndefined()
  })
})
