import { parse } from 'yaml'
import { z } from 'zod'
import { KnowledgeError } from '../knowledge-error.ts'

const entry = z
  .object({
    query: z.string().min(1),
    /** The document that answers: its standard, or its title or the beginning of it. */
    document: z.string().optional(),
    /** Clauses that answer; any of them will do. */
    clauses: z.array(z.coerce.string()).default([]),
    /** Other documents that answer as well. */
    also: z
      .array(z.object({ document: z.string(), clauses: z.array(z.coerce.string()) }))
      .default([]),
    /** What the question is about, for sets that are asked with and without it. */
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

/** Reads labelled questions; a list without a head is a set too. */
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
