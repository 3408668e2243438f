import { z } from 'zod'
import { KnowledgeError } from '../knowledge-error.ts'
import { citation } from '../search/citation.ts'
import { lookupTerm } from '../search/lookup-term.ts'
import { knowledgeTool } from './tool-kit.ts'

export const knowledgeLookup = knowledgeTool({
  name: 'knowledge_lookup',
  title: 'Look up a term',
  description:
    'The definition of a term as the documents give it, with its citation; near misses when there is none.',
  input: z.object({ term: z.string().max(200).describe('1 to 200 characters') }),
  async answer({ term }, base) {
    if (!term.trim()) throw new KnowledgeError('invalid_input', 'Term is required')
    const { definitions, similar } = await lookupTerm(base.store, term)
    const [first] = definitions
    return {
      term,
      found: first !== undefined,
      definition: first?.definition ?? null,
      citation: first ? citation(first.chunk, first.part) : null,
      definitions: definitions.map(({ definition, chunk, part }) => ({
        definition,
        citation: citation(chunk, part),
        document_title: chunk.source.title,
        clause_number: part.clause,
        normative: part.normative,
      })),
      similar_terms: similar,
      ...(!first && {
        message: `No definition of "${term}" was found.`,
        suggestions: ['Try a similar term, or knowledge_search.'],
      }),
    }
  },
})
