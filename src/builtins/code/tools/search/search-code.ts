import { z } from 'zod'
import { defineTool } from '../../../kit/define-tool.ts'
import { answerSearch } from './answer-search.ts'
import { listAnswer } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import {
  READ_ONLY,
  indexName,
  indexNames,
  language,
  limit,
  maxTokens,
  query,
  rewriteQuery,
  symbolName,
  symbolType,
  useHybridSearch,
} from '../inputs.ts'

const lines = z.int().nonnegative().max(500).nullable().default(null)

const INPUT = z.object({
  query: query.describe(
    'What you look for: words, a question, a symbol; or the text or pattern of an exact search',
  ),
  index_name: indexName,
  limit,
  language,
  use_hybrid_search: useHybridSearch,
  symbol_type: symbolType,
  symbol_name: symbolName,
  context_before: lines.describe('Lines to show before each result instead of the smart context'),
  context_after: lines.describe('Lines to show after each result instead of the smart context'),
  smart_context: z
    .boolean()
    .default(true)
    .describe('Show the function or class around each result'),
  include_deps: z
    .boolean()
    .default(true)
    .describe('With each result, what its file imports and what imports it'),
  index_names: indexNames,
  rewrite_query: rewriteQuery,
  mode: z
    .enum(['ranked', 'exact', 'regex'])
    .default('ranked')
    .describe(
      'ranked: best matches by meaning of the words; exact: every line with this text; regex: every line that matches',
    ),
  min_score: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe(
      'Leave out results that score less, 0..1; by default what cocosearch.yaml says, else nothing',
    ),
  max_tokens: maxTokens,
})

export const searchCodeTool = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    'Search the code of the project by words, questions or symbol names. Better than Grep or Glob to find where something is done: results are ranked, show the definition they belong to and what it depends on, and are the text as it is on disk now, so there is no need to open the file again. mode=exact or regex finds every line with a text. The index keeps itself up to date.',
  input: INPUT,
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    listAnswer(await answerSearch(input, deps, context)),
})
