import { parse } from 'yaml'
import { z } from 'zod'
import { KnowledgeError } from '../knowledge-error.ts'

const entry = z
  .object({
    query: z.string().min(1),
    /** The document with the answer: its standard, its title, or the start of its title. */
    document: z.string().optional(),
    /** The clauses with the answer; one of them is enough. */
    clauses: z.array(z.coerce.string()).default([]),
    /** Other documents with the answer. */
    also: z
      .array(z.object({ document: z.string(), clauses: z.array(z.coerce.string()) }))
      .default([]),
    /** The topic of the question, for sets that are asked with and without it. */
    topic: z.string().optional(),
    /** Words that a good passage holds; the older form of a label. */
    expected_in_top_k: z.array(z.string()).default([]),
    category: z.string().optional(),
    difficulty: z.string().optional(),
  })
  .refine(({ document, clauses, expected_in_top_k: words }) => document ?? clauses[0] ?? words[0], {
    message: 'needs clauses, a document or expected_in_top_k',
  })

const goldenSet = z.object({
  top_k: z.number().int().min(1).default(5),
  queries: z.array(entry).min(1),
})

export type GoldenQuery = z.output<typeof entry>
export type GoldenSet = z.output<typeof goldenSet>

/** Parses labelled questions; a bare list of them is also accepted. */
export function parseGoldenSet(text: string): GoldenSet {
  const value: unknown = parse(text)
  const parsed = goldenSet.safeParse(Array.isArray(value) ? { queries: value } : value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new KnowledgeError(
    'invalid_input',
    `The golden set is not valid: ${problems.slice(0, 5).join('; ')}`,
  )
}
