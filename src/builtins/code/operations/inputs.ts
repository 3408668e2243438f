import { z } from 'zod'

const patterns = z.array(z.string()).nullish().transform(given)
const flag = z.boolean().nullish().transform(given)

export const INDEX_REQUEST = z.object({
  path: z.string().min(1),
  index_name: z.string().min(1).nullable().default(null),
  include_patterns: patterns,
  exclude_patterns: patterns,
  no_gitignore: flag,
  fresh: flag,
  parse: flag,
})

export const FILE_REQUEST = z.object({
  /** Absolute, or relative to the index or the project. */
  path: z.string().min(1),
  index_name: z.string().nullish().transform(given),
  line: z.int().positive().nullish().transform(given),
})

export type FileRequest = z.output<typeof FILE_REQUEST>

function given<Value>(value: Value): NonNullable<Value> | undefined {
  return value ?? undefined
}
