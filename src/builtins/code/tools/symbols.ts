import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import { toSymbolFilter } from '../engine/search/search-filter.ts'
import { type CodeSymbol, dottedName, qualifiedName } from '../code-symbol.ts'
import { answeringObject } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { findIndex } from './indexing/find-index.ts'
import { freshen } from './indexing/freshness.ts'
import { InBandError } from './in-band-error.ts'
import { READ_ONLY, file, indexName, symbolType } from './inputs.ts'

const found = (path: string, symbol: CodeSymbol): Record<string, unknown> => ({
  file_path: path,
  name: symbol.name,
  qualified_name: qualifiedName(symbol),
  symbol_type: symbol.type,
  start_line: symbol.startLine,
  end_line: symbol.endLine,
  signature: symbol.signature,
})

/** Sorts names with the case of the query first; case does not affect what is found. */
function asWritten(asked: string) {
  const last = dottedName(asked).split('.').at(-1)
  const differs = ({ name }: Record<string, unknown>) => Number(name !== last)
  return (a: Record<string, unknown>, b: Record<string, unknown>) => differs(a) - differs(b)
}

export const findSymbolTool = defineTool({
  name: 'find_symbol',
  title: 'Find where a symbol is defined',
  description:
    'Where functions, classes, methods, interfaces and constants of a name are defined. * and ? stand for anything; Class.method narrows it.',
  input: z.object({
    name: z.string().min(1).max(200).describe("A name, Class.method, or a pattern such as 'get*'"),
    index_name: indexName,
    symbol_type: symbolType,
    limit: z.int().positive().max(500).default(50),
  }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () => {
      const target = await findIndex(deps, context, input.index_name)
      const warnings = await freshen(deps, target)
      const isWanted = toSymbolFilter({ symbolName: input.name, symbolType: input.symbol_type })
      const matches = [...target.live.index.files].flatMap(([path, { symbols }]) =>
        symbols.filter((symbol) => isWanted?.(symbol)).map((symbol) => found(path, symbol)),
      )
      return {
        symbols: matches.toSorted(asWritten(input.name)).slice(0, input.limit),
        total: matches.length,
        ...(matches.length === 0 && {
          hint: `No symbol matches '${input.name}'. Try search_code, or a pattern such as '*${input.name}*'.`,
        }),
        ...(warnings.length > 0 && { warnings }),
      }
    }),
})

export const outlineTool = defineTool({
  name: 'outline',
  title: 'Outline of a file',
  description:
    'The definitions of one file in order, with their lines: what is in it, without reading it.',
  input: z.object({ file, index_name: indexName }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    answeringObject(async () => {
      const target = await findIndex(deps, context, input.index_name)
      const warnings = await freshen(deps, target)
      const path = input.file.replace(/^\.\//, '')
      const record = target.live.index.files.get(path)
      if (!record)
        throw new InBandError(
          'File not found',
          `'${input.file}' is not in the index; give a path relative to ${target.live.index.project.root}`,
        )
      return {
        file: path,
        language: record.languageId,
        lines: record.lines,
        parse_status: record.parse.status,
        symbols: record.symbols.map((symbol) => found(path, symbol)),
        ...(record.blocks.length > 0 && { blocks: record.blocks }),
        ...(warnings.length > 0 && { warnings }),
      }
    }),
})
