import type { FieldIndexState } from '../lexical/field-index.ts'
import { type IndexContent, type IndexImage, IndexFileError } from './index-file.ts'

/** Returns the parts of a lexical index, as arrays of an index file. */
export function toArrays(state: FieldIndexState): IndexContent['arrays'] {
  return {
    'terms.bytes': state.terms.bytes,
    'terms.ends': state.terms.ends,
    'postings.arena': state.postings.arena,
    'postings.heads': state.postings.heads,
    'postings.tails': state.postings.tails,
    'postings.counts': state.postings.counts,
    removed: state.removed,
    ...Object.fromEntries(state.lengths.map((each, field) => [`lengths.${field}`, each])),
  }
}

export function fromArrays(arrays: IndexImage['arrays'], fields: number): FieldIndexState {
  return {
    terms: { bytes: bytes(arrays, 'terms.bytes'), ends: words(arrays, 'terms.ends') },
    postings: {
      arena: [words(arrays, 'postings.arena')],
      heads: words(arrays, 'postings.heads'),
      tails: words(arrays, 'postings.tails'),
      counts: words(arrays, 'postings.counts'),
    },
    lengths: Array.from({ length: fields }, (_, field) => words(arrays, `lengths.${field}`)),
    removed: bytes(arrays, 'removed'),
  }
}

export function words(arrays: IndexImage['arrays'], name: string): Uint32Array {
  const array = arrays[name]
  if (array instanceof Uint32Array) return array
  throw new IndexFileError('damaged', `The index file has no array ${name}`)
}

function bytes(arrays: IndexImage['arrays'], name: string): Uint8Array {
  const array = arrays[name]
  if (array instanceof Uint8Array) return array
  throw new IndexFileError('damaged', `The index file has no array ${name}`)
}

export function signed(arrays: IndexImage['arrays'], name: string): Int8Array {
  const array = arrays[name]
  if (array instanceof Int8Array) return array
  throw new IndexFileError('damaged', `The index file has no array ${name}`)
}
