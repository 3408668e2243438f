import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import { factsOf } from '../engine/search/chunk-facts.ts'
import { type Reference, findReferences } from '../engine/references/find-references.ts'
import type { ProjectIndex } from '../engine/index/project-index.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { findIndex } from './indexing/find-index.ts'
import { freshen } from './indexing/freshness.ts'
import { READ_ONLY, indexName } from './inputs.ts'

const MAX_TEXT = 200

export const findReferencesTool = defineTool({
  name: 'find_references',
  title: 'Find where a name is used',
  description:
    'Every use of a name in code, found by the syntax (comments and strings do not count): its definitions, imports, calls and other uses, with the definition around each. certainty says whether the imports of the file lead to a definition of that name (certain, likely) or only the name is the same (possible). An import under another name is followed: `as` is what it is called there.',
  input: z.object({
    name: z.string().min(1).max(200).describe('The identifier without arguments, or Class.method'),
    index_name: indexName,
    language: z.string().nullable().default(null),
    file: z
      .string()
      .nullable()
      .default(null)
      .describe('Only uses that lead to the definition in this file'),
    include_text: z
      .boolean()
      .default(false)
      .describe('Also where the name stands in comments, strings and documents'),
    limit: z.int().positive().max(1_000).default(100),
  }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () => {
      const target = await findIndex(deps, context, input.index_name)
      const warnings = await freshen(deps, target)
      const { index, parser } = target.live
      const { found, isComplete } = await findReferences(index, parser, {
        name: input.name,
        definedIn: input.file?.replace(/^\.\//, ''),
        language: input.language,
        includeText: input.include_text,
      })
      const shown = found.slice(0, input.limit)
      return {
        references: toShown(index, shown),
        total: found.length,
        is_complete: isComplete && shown.length === found.length,
        ...(found.length === 0 && {
          hint: `No code uses '${input.name}'. include_text=true also looks into comments, strings and documents.`,
        }),
        ...(warnings.length > 0 && { warnings }),
      }
    }),
})

function toShown(index: ProjectIndex, found: readonly Reference[]): Record<string, unknown>[] {
  const texts = new Map<string, readonly string[]>()
  return found.flatMap(({ path, line, kind, certainty, definedIn, as }) => {
    const record = index.files.get(path)
    if (!record) return []
    const lines = texts.get(path) ?? index.text(path)?.split(/\r?\n/) ?? []
    texts.set(path, lines)
    return {
      file_path: path,
      line,
      text: lines[line - 1]?.trim().slice(0, MAX_TEXT) ?? '',
      in: factsOf(record, { startLine: line, endLine: line }).hierarchy,
      kind,
      is_definition: kind === 'definition',
      certainty,
      defined_in: definedIn,
      ...(as !== undefined && { as }),
    }
  })
}
