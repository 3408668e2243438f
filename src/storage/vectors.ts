import { type RawBuilder, sql } from 'kysely'
import type { Engine } from './storage.ts'

/** A vector as its column takes it: pgvector's text form, or little-endian float32 bytes. */
export function toVectorColumn(vector: Float32Array, engine: Engine): RawBuilder<unknown> {
  return engine === 'postgres'
    ? sql`${`[${vector.join(',')}]`}::vector`
    : sql`${Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)}`
}

export function fromVectorColumn(value: unknown): Float32Array {
  if (typeof value === 'string') return Float32Array.from(value.slice(1, -1).split(','), Number)
  if (value instanceof ArrayBuffer) return new Float32Array(value)
  throw new TypeError('Not a vector column')
}
