import type { ChunkFacts } from '../store/chunk-filter.ts'

/** An aspect of a topic: search words, a pattern and chunk types to recognise it, and a boost. */
export interface Facet {
  readonly words: string
  readonly pattern: RegExp
  readonly chunkTypes: readonly string[]
  readonly boost: number
}

export const EXPLORE_FACETS: Readonly<Record<string, Facet>> = {
  definitions: {
    words: 'definition term meaning',
    pattern: /\b(?:defin\w+|means|is called|refers to)\b/i,
    chunkTypes: ['definition'],
    boost: 1.2,
  },
  examples: {
    words: 'example case illustration',
    pattern: /\b(?:EXAMPLE|for example|for instance|e\.g\.|such as)\b/i,
    chunkTypes: ['example'],
    boost: 1.15,
  },
  standards: {
    words: 'requirement standard clause',
    pattern: /\b(?:SHALL|MUST|REQUIRED|shall|standard|clause|conform\w*)\b/,
    chunkTypes: ['requirement', 'annex'],
    boost: 1.1,
  },
  best_practices: {
    words: 'best practice recommendation guidance',
    pattern: /\b(?:SHOULD|RECOMMENDED|best practice|good practice|recommend\w*|guidance)\b/,
    chunkTypes: ['recommendation', 'guidance'],
    boost: 1.1,
  },
}

export const PLAN_CATEGORIES: Readonly<Record<string, Facet>> = {
  templates: {
    words: 'template plan schedule checklist form',
    pattern: /\b(?:template|checklist|schedule|plan|form|work breakdown)\b/i,
    chunkTypes: ['table', 'annex'],
    boost: 1.15,
  },
  risks: {
    words: 'risk hazard mitigation',
    pattern: /\b(?:risks?|hazards?|mitigat\w+|threat|uncertain\w*)\b/i,
    chunkTypes: [],
    boost: 1.15,
  },
  lessons_learned: {
    words: 'lesson learned experience',
    pattern: /\b(?:lessons?(?: learned)?|learnt|in hindsight|experience)\b/i,
    chunkTypes: ['example'],
    boost: 1.15,
  },
  precedents: {
    words: 'precedent previous comparable project',
    pattern: /\b(?:precedents?|previous\w*|comparable|similar project|was run|earlier)\b/i,
    chunkTypes: [],
    boost: 1.1,
  },
}

/** Returns a known facet, or one made from the words of its name. */
export function facetNamed(name: string, known: Readonly<Record<string, Facet>>): Facet {
  const found = Object.hasOwn(known, name) ? known[name] : undefined
  if (found) return found
  const words = name.replace(/[_-]+/g, ' ').trim()
  const stems = words
    .split(/\s+/)
    .map((word) => word.replace(/(?:ies|es|s)$/i, '').replace(/[^\p{L}\p{N}]/gu, ''))
  return {
    words,
    pattern: new RegExp(`\\b(?:${stems.filter(Boolean).join('|') || '(?!)'})\\w*`, 'i'),
    chunkTypes: [],
    boost: 1.1,
  }
}

export function belongsTo(facet: Facet, facts: ChunkFacts, content: string): boolean {
  return (
    facet.chunkTypes.includes(facts.chunkType) ||
    facet.pattern.test(facts.sectionTitle) ||
    facet.pattern.test(content)
  )
}
