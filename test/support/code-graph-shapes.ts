import { z } from 'zod'

/** Strict schemas for the answers of the dependency tools. */

const text = z.string()
const count = z.int().nonnegative()
const maybe = text.nullable()

export const dependency = {
  target_file: maybe,
  target_symbol: maybe,
  dep_type: z.enum(['import', 'reference', 'call']),
  module: text,
}

const warnings = z
  .array(
    z.strictObject({
      type: z.enum(['deps_not_extracted', 'deps_outdated', 'deps_branch_drift']),
      warning: text,
      message: text,
    }),
  )
  .optional()

export const fileDependencies = z.strictObject({
  file: text,
  depth: z.literal(1),
  dependencies: z.array(
    z.strictObject({ ...dependency, metadata: z.strictObject({ kind: text, line: count }) }),
  ),
  total: count,
  warnings,
})

const node = z.strictObject({
  file: text,
  symbol: maybe,
  dep_type: maybe,
  is_external: z.literal(true).optional(),
  get children() {
    return z.array(node)
  },
})

const depth = z.int().min(1).max(20)

export const fileTree = z.strictObject({ file: text, depth, tree: node, warnings })
export const fileImpact = z.strictObject({ file: text, depth, impact_tree: node, warnings })
export const fileMissing = z.strictObject({ file: text, error: text })

export const batch = (result: z.ZodType) =>
  z.strictObject({ files_requested: count, depth, results: z.array(result), warnings })
