import { isObject, type JsonObject } from '../../../base/json/json.ts'
import { shellWord } from '../../../base/text/shell-word.ts'
import { closeCodeDeps, createCodeDeps } from '../../../builtins/code/create-code-deps.ts'
import {
  type SearchInput,
  answerSearch,
} from '../../../builtins/code/tools/search/answer-search.ts'
import { projectOfUser } from '../project-of-user.ts'
import { createPaint } from '../../shared/terminal/paint.ts'
import { renderSearch } from '../render.ts'
import { wrongUsage } from '../wrong-usage.ts'
import { createProgressBar } from '../../shared/terminal/progress-bar.ts'
import { printJson } from '../../shared/terminal/print-json.ts'

export interface SearchFlags {
  readonly index?: string
  readonly indexes?: string
  readonly limit?: string
  readonly lang?: string
  readonly minScore?: string
  readonly afterContext?: string
  readonly beforeContext?: string
  readonly context?: string
  readonly smart: boolean
  readonly hybrid?: boolean
  readonly symbolType?: readonly string[]
  readonly symbolName?: string
  readonly exact?: boolean
  readonly regex?: boolean
  readonly maxTokens?: string
  readonly rewrite: boolean
  readonly deps?: boolean
  readonly json?: boolean
}

/** Runs one search and prints it; returns false if it failed. */
export async function runSearch(query: string, flags: SearchFlags): Promise<boolean> {
  const input = toInput(query, flags)
  const answer = process.env['PORTOLAN_CODE_SERVER_URL']
    ? await searchElsewhere(input)
    : await searchHere(input)
  const items = answer.filter(isObject)
  const failed = items.some((item) => 'error' in item)
  if (flags.json) printJson(items)
  else
    (failed ? process.stderr : process.stdout).write(
      `${renderSearch(withCommand(items), createPaint())}\n`,
    )
  return !failed
}

const FIRST_INDEX_MS = 600_000

/** Searches without the service, whose schemas take longer than the search. */
async function searchHere(input: SearchInput): Promise<readonly unknown[]> {
  const deps = createCodeDeps({
    background: false,
    freshnessBudgetMs: 2_000,
    // A command can wait for the first index, which would be lost when it ends.
    autoIndex: true,
    autoIndexBudgetMs: FIRST_INDEX_MS,
  })
  const bar = createProgressBar('indexing for the first time')
  try {
    return await answerSearch(input, deps, {
      signal: new AbortController().signal,
      agent: undefined,
      isRemote: false,
      headers: {},
      project: async () => projectOfUser(),
      progress: ({ progress, total }) => bar.update(progress, total ?? progress),
    })
  } finally {
    bar.end()
    await closeCodeDeps(deps)
  }
}

async function searchElsewhere(input: SearchInput): Promise<readonly unknown[]> {
  const { openCodeSession } = await import('../session/code-session.ts')
  const session = await openCodeSession()
  try {
    const answer = await session.call('search_code', toArguments(input))
    return Array.isArray(answer) ? answer : [answer]
  } finally {
    await session.close()
  }
}

/** Drops null values, so that the tool's own defaults apply. */
function toArguments(input: SearchInput): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

/** Replaces hints for agents by the command that a person at a shell runs next. */
function withCommand(items: readonly JsonObject[]): JsonObject[] {
  return items
    .filter(({ type, message }) => type !== 'hint' || !String(message).includes('MCP Roots'))
    .map((item) => {
      const path = item['detected_path']
      if (typeof path !== 'string') return item
      return {
        ...item,
        message: `${path} is not indexed yet. Run: portolan code index ${shellWord(path)}`,
      }
    })
}

function toInput(text: string, flags: SearchFlags): SearchInput {
  const { query, language } = inlineLanguage(text, flags.lang)
  return {
    query,
    index_name: flags.index ?? null,
    index_names: flags.indexes?.split(',').map((name) => name.trim()) ?? null,
    limit: number(flags.limit),
    min_score: number(flags.minScore),
    max_tokens: number(flags.maxTokens),
    language,
    symbol_type: flags.symbolType ?? null,
    symbol_name: flags.symbolName ?? null,
    include_deps: flags.deps ?? false,
    mode: modeOf(flags),
    use_hybrid_search: flags.hybrid ?? null,
    rewrite_query: flags.rewrite,
    ...contextOf(flags),
  }
}

function contextOf({ beforeContext, afterContext, context, smart }: SearchFlags) {
  return {
    context_before: number(beforeContext ?? context),
    context_after: number(afterContext ?? context),
    smart_context: smart,
  }
}

function number(value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^\d*\.?\d+$/.test(value)) throw wrongUsage(`'${value}' is not a number`)
  return Number(value)
}

function modeOf({ exact, regex }: SearchFlags): SearchInput['mode'] {
  if (regex) return 'regex'
  return exact ? 'exact' : 'ranked'
}

/** Takes `lang:py` out of the query and makes it a filter. */
export function inlineLanguage(
  text: string,
  flag: string | undefined,
): { query: string; language: string | null } {
  const [inline, name] = /(?:^|\s)lang:(\S+)/.exec(text) ?? []
  if (inline === undefined) return { query: text, language: flag ?? null }
  return { query: text.replace(inline, ' ').trim(), language: flag ?? name ?? null }
}
