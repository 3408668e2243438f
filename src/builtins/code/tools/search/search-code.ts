import { PROJECT_FILE } from '../../cocosearch-names.ts'
import { z } from 'zod'
import { defineTool } from '../../../kit/define-tool.ts'
import { searchAnswer } from '../../answers.ts'
import { answerSearch } from './answer-search.ts'
import { listAnswer } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import {
  READ_ONLY,
  indexName,
  indexNames,
  language,
  limit,
  query,
  rewriteQuery,
  symbolName,
  symbolType,
  useHybridSearch,
} from '../inputs.ts'

const lines = z.int().nonnegative().max(500).nullable().default(null)

/** Room for the text of the best few results and one line for each of the others. */
const DEFAULT_TOKENS = 2_000

/** The most other wordings of a query; each is a search of its own. */
const MAX_WORDINGS = 5

const INPUT = z.object({
  query: query.describe(
    'What you look for: words, a question, a symbol; or the text or pattern of an exact search',
  ),
  also: z
    .array(query)
    .max(MAX_WORDINGS)
    .default([])
    .describe("Other wordings of it, such as the code's own terms; ranked searches only"),
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
    .default(false)
    .describe('Also show the rest of the function or class around each result'),
  include_deps: z
    .boolean()
    .default(false)
    .describe('Also show, with each result, what its file imports and what imports it'),
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
      `Leave out results that score less, 0..1; by default what ${PROJECT_FILE} says, else nothing`,
    ),
  max_tokens: z
    .int()
    .positive()
    .nullable()
    .default(DEFAULT_TOKENS)
    .describe(
      'Fit the answer into about this many tokens: the best results with their text, the others as one line each; null for no limit',
    ),
})

export const searchCodeTool = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    'Search the code of the project by words, questions or symbol names; the words of the code itself find most. Better than Grep or Glob to find where something is done: results are ranked and are the text as it is on disk now, so there is no need to open the file again; the later ones are one line each unless max_tokens is raised. mode=exact or regex finds every line with a text. The index keeps itself up to date.',
  input: INPUT,
  output: searchAnswer,
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) =>
    listAnswer(await answerSearch(input, deps, context)),
})
