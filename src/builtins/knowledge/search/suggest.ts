import { acceptsChunk, type ChunkFilter } from '../store/chunk-filter.ts'
import type { ChunkIndex } from '../store/chunk-index.ts'
import { editDistance } from '../../../base/text/nearest.ts'
import { sectionName } from '../documents/clause-number.ts'

const MAX_TITLES = 5

/** Suggests what to try when nothing was found: other filters or words, or adding documents. */
export function suggest(index: ChunkIndex, query: string, filter: ChunkFilter): string[] {
  if (index.size === 0)
    return [
      'The knowledge base is empty: add documents with knowledge_ingest, or `portolan ingest` on a shell.',
    ]
  const restricted = Object.entries(filter).filter(([, value]) => value !== undefined)
  const suggestions: string[] = []
  if (restricted.length > 0) {
    const names = restricted.map(([name]) => name).join(', ')
    const left = [...index.allFacts()].filter(([, facts]) => acceptsChunk(filter, facts)).length
    suggestions.push(
      left === 0
        ? `No chunk passes the filter (${names}): leave it out.`
        : `Only ${left} of ${index.size} chunks pass the filter (${names}): widen it.`,
    )
  }
  const near = nearTitles(index, query)
  if (near.length > 0) suggestions.push(`Sections with similar words: ${near.join('; ')}`)
  suggestions.push('Use fewer or more general words, or lower score_threshold.')
  return suggestions
}

function nearTitles(index: ChunkIndex, query: string): string[] {
  const words = query.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const found = new Set<string>()
  for (const [, { sectionTitle }] of index.allFacts()) {
    for (const title of sectionTitle.split('\n')) {
      const held = title.toLowerCase().match(/\p{L}{4,}/gu) ?? []
      if (held.some((word) => words.some((asked) => isNear(asked, word))))
        found.add(sectionName(title))
      if (found.size >= MAX_TITLES) return [...found]
    }
  }
  return [...found]
}

function isNear(asked: string, word: string): boolean {
  const stem = Math.min(asked.length, word.length, 5)
  return asked.slice(0, stem) === word.slice(0, stem) || editDistance(asked, word, 2) <= 2
}
