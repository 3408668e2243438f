import { z } from 'zod'

/** Parameters that several tools share. */
export const indexName = z
  .string()
  .nullable()
  .default(null)
  .describe('Which index to use; by default the one of the project you work in')

export const indexNames = z
  .array(z.string())
  .nullable()
  .default(null)
  .describe('Several indexes at once, merged by relevance; wins over index_name')

export const query = z.string().min(1).max(10_000)

export const language = z
  .string()
  .nullable()
  .default(null)
  .describe('Only these languages, comma separated: python, typescript, hcl, dockerfile, bash…')

export const symbolType = z
  .union([z.string(), z.array(z.string())])
  .nullable()
  .default(null)
  .describe(
    "Only results about such symbols: 'function', 'class', 'method', 'interface', or a list of them",
  )

export const symbolName = z
  .string()
  .nullable()
  .default(null)
  .describe("Only symbols whose name matches, with * and ?, whatever the case: 'get*', '*Handler'")

export const useHybridSearch = z
  .boolean()
  .nullable()
  .default(null)
  .describe(
    'Where an embedder is set: null or true searches by words and by vectors, false by vectors alone',
  )

/** If absent, the project's settings decide; their default is 10. */
export const limit = z
  .int()
  .positive()
  .max(1_000)
  .optional()
  .meta({ default: 10, description: 'How many results at most' })

export const rewriteQuery = z
  .boolean()
  .default(true)
  .describe('Let the query-rewrite controller improve the query, where one is enabled')

export const file = z.string().min(1).describe('Path of the file, relative to the project')
export const files = z.array(z.string()).min(1).max(500).describe('Paths relative to the project')

export const depType = z
  .string()
  .nullable()
  .default(null)
  .describe(
    "Only edges of this type: 'import', 'reference', or 'call' for what is really called, which is looked up only on request",
  )

export const READ_ONLY = { readOnlyHint: true, openWorldHint: false } as const
