import type { Command, OptionValues } from '@commander-js/extra-typings'
import { showStats } from '../indexing/index.ts'
import { accepted, collect, exitWith, tool } from '../run-command.ts'
import { wrongUsage } from '../wrong-usage.ts'
import type { SearchFlags } from './run-search.ts'

export function registerSearching(code: Command): void {
  withSearchOptions(code.command('search'))
    .description('search code by words, questions or names')
    .argument('[query...]')
    .action(search)
  // `portolan code how are requests routed`, `portolan code shop stats`, `… shop search …`
  withSearchOptions(code.command('ask', { isDefault: true, hidden: true }))
    .argument('[words...]')
    .action(async (words, flags) => {
      const [index, verb, ...query] = words
      const isVerb = verb === 'stats' || verb === 'search'
      if (!isVerb || index === undefined || !(await isIndex(index))) return search(words, flags)
      if (verb === 'search') return search(query, { ...flags, index })
      return showStats(index, flags)
    })
  registerAnalyze(code)
  for (const [name, toolName, description] of SYMBOL_COMMANDS) {
    code
      .command(name)
      .description(description)
      .argument('<name>')
      .option('-n, --index <name>', 'index to search')
      .option('--json', 'print JSON')
      .action(async (value, flags) =>
        tool(toolName, toolName === 'outline' ? { file: value } : { name: value }, flags),
      )
  }
}

const SYMBOL_COMMANDS = [
  ['symbol', 'find_symbol', 'where a symbol is defined'],
  ['references', 'find_references', 'where a name is used'],
  ['outline', 'outline', 'the definitions of a file'],
] as const

async function search(words: string[], flags: SearchFlags): Promise<void> {
  if (words.length === 0) throw wrongUsage('There is no query. Say what to search for')
  return exitWith(await (await import('./run-search.ts')).runSearch(words.join(' '), flags))
}

async function isIndex(name: string): Promise<boolean> {
  const { openCodeSession } = await import('../session/code-session.ts')
  const session = await openCodeSession()
  try {
    const all = await session.call('list_indexes', {})
    return Array.isArray(all) && all.some((index: { name?: unknown }) => index.name === name)
  } finally {
    await session.close()
  }
}

function withSearchOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
) {
  return command
    .option('-n, --index <name>', 'index to search')
    .option('--indexes <a,b>', 'several indexes')
    .option('-l, --limit <n>', 'how many results; search.resultLimit, else 10')
    .option('--lang <a,b>', 'only these languages; also lang:py inside the query')
    .option(
      '--min-score <n>',
      'leave out results with a lower score, 0..1; search.minScore, else 0',
    )
    .option('-A, --after-context <n>', 'lines after each result')
    .option('-B, --before-context <n>', 'lines before each result')
    .option('-C, --context <n>', 'lines around each result')
    .option('--no-smart', 'do not show the definition around each result')
    .addOption(accepted('--hybrid'))
    .option('--symbol-type <type>', 'function, class, method, interface (repeatable)', collect)
    .option('--symbol-name <glob>', 'only symbols with a name that matches')
    .option('--exact', 'find every line with exactly this text')
    .option('--regex', 'find every line that matches this pattern')
    .option('--max-tokens <n>', 'fit the answer into this many tokens')
    .addOption(accepted('--no-cache'))
    .option('--no-rewrite', 'do not rewrite the query')
    .option('--deps', 'also show what each file depends on')
    .addOption(accepted('--pretty'))
    .option('--json', 'print JSON')
}

function registerAnalyze(code: Command): void {
  code
    .command('analyze')
    .description('explain the results of a search')
    .argument('<query...>')
    .option('-n, --index <name>', 'index to search')
    .option('--indexes <a,b>', 'several indexes')
    .option('-l, --limit <n>', 'how many results', '10')
    .option('--lang <a,b>', 'only these languages; also lang:py inside the query')
    .option('--hybrid', 'use words and vectors, if an embedder is set')
    .option('--symbol-type <type>', 'function, class, method, interface (repeatable)', collect)
    .option('--symbol-name <glob>', 'only symbols with a name that matches')
    .option('--no-rewrite', 'do not rewrite the query')
    .option('--json', 'print JSON')
    .action(async (words, flags) => {
      const { inlineLanguage } = await import('./run-search.ts')
      await tool(
        'analyze_query',
        {
          ...inlineLanguage(words.join(' '), flags.lang),
          limit: Number(flags.limit),
          index_names: flags.indexes?.split(',') ?? null,
          use_hybrid_search: flags.hybrid ?? null,
          symbol_type: flags.symbolType ?? null,
          symbol_name: flags.symbolName ?? null,
          rewrite_query: flags.rewrite,
        },
        flags,
      )
    })
}
