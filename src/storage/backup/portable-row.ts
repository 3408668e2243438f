import { fromVectorColumn, toVectorColumn } from '../vectors.ts'
import type { Engine } from '../storage.ts'

type Row = Record<string, unknown>

/** Encodes a row as JSON. Vectors are in columns named `embedding`; other bytes are kept as is. */
export function toPortable(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (column === 'embedding' && value !== null)
        return [column, { $f32: toBase64(fromVectorColumn(value)) }]
      if (value instanceof ArrayBuffer) return [column, toBytes(Buffer.from(value))]
      if (Buffer.isBuffer(value)) return [column, toBytes(value)]
      return [column, value]
    }),
  )
}

export function fromPortable(row: Row, engine: Engine): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, revive(value, engine)]),
  )
}

function revive(value: unknown, engine: Engine): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$f32' in value) {
    const bytes = new Uint8Array(Buffer.from(String(value.$f32), 'base64'))
    return toVectorColumn(new Float32Array(bytes.buffer), engine)
  }
  return '$bytes' in value ? Buffer.from(String(value.$bytes), 'base64') : value
}

function toBytes(value: Buffer): { $bytes: string } {
  return { $bytes: value.toString('base64') }
}

function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
