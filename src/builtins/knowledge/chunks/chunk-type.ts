import type { Obligation } from '../documents/normative.ts'
import type { ChunkType } from './chunk.ts'
import type { Unit } from './unit.ts'

/** A section of terms or references says so for everything under it; the others only for themselves. */
const BY_PARENT: readonly [RegExp, ChunkType][] = [
  [/\b(?:terms|definitions?|glossary|abbreviations|acronyms|terminology)\b/i, 'definition'],
  [/\b(?:references|bibliography|table of contents)\b|^(?:contents|index)$/i, 'reference'],
]

const BY_TITLE: readonly [RegExp, ChunkType][] = [
  [/\bexamples?\b/i, 'example'],
  [/\b(?:scope|introduction|overview|abstract|purpose|foreword|summary)\b/i, 'overview'],
]

export interface ChunkTraits {
  readonly kinds: readonly Unit['kind'][]
  readonly path: readonly string[]
  readonly normative: boolean | null
  readonly obligation: Obligation | null
}

/** What a chunk is for, from what it is made of, where it stands, and what it asks. */
export function chunkType({ kinds, path, normative, obligation }: ChunkTraits): ChunkType {
  const body = kinds.filter((kind) => kind !== 'heading')
  if (body.length > 0 && body.every((kind) => kind === 'figure')) return 'figure'
  const tables = body.filter((kind) => kind === 'table').length
  if (tables > 0 && tables * 2 >= body.length) return 'table'
  const named =
    BY_PARENT.find(([pattern]) => path.slice(-2).some((title) => pattern.test(title))) ??
    BY_TITLE.find(([pattern]) => pattern.test(path.at(-1) ?? ''))
  if (named) return named[1]
  if (obligation === 'requirement' || obligation === 'recommendation') return obligation
  if (path.some(isAnnex)) return 'annex'
  return normative === false ? 'guidance' : 'content'
}

function isAnnex(title: string): boolean {
  return /^(?:annex|appendix)\b/i.test(title)
}
