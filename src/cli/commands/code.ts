import type { Command } from 'commander'
import type { JsonObject } from '../../protocol/json-rpc.ts'

const collect = (value: string, all: readonly string[] = []): string[] => [...all, value]

/** Marks the process as failed without cutting off what is still being written. */
function exitWith(isOk: boolean): void {
  if (!isOk) process.exitCode = 1
}

interface ToolFlags {
  readonly json?: boolean
  readonly index?: string
}

/** Everything heavy is imported by the command that runs, so that `--help` and the others start at once. */
async function tool(
  name: string,
  args: JsonObject,
  flags: ToolFlags,
  isTree?: string,
): Promise<void> {
  const { runTool } = await import('./code/run-tool.ts')
  const { renderTree, renderValue } = await import('./code/render.ts')
  const { isObject } = await import('../../protocol/json-rpc.ts')
  const given = { ...args, ...(flags.index !== undefined && { index_name: flags.index }) }
  exitWith(
    await runTool(name, given, {
      json: flags.json ?? false,
      render: (value, paint) => {
        const tree = isTree !== undefined && isObject(value) ? value[isTree] : undefined
        return isObject(tree) ? renderTree(tree, paint) : renderValue(value, paint)
      },
    }),
  )
}

/** `portolan code …`: the tools of the code server for people, scripts and sub-agents. */
export function registerCode(program: Command): Command {
  const code = program
    .command('code')
    .description('search and index code: the tools of the built-in code server')
  registerIndexing(code)
  registerSearching(code)
  registerGraph(code)
  return code
}

function registerIndexing(code: Command): void {
  code
    .command('index')
    .description('index a folder, or bring its index up to date')
    .argument('[path]', 'the folder', '.')
    .option('-n, --name <name>', 'name of the index')
    .option('-i, --include <glob>', 'only files that match (repeatable)', collect)
    .option('-e, --exclude <glob>', 'leave out files that match (repeatable)', collect)
    .option('--no-gitignore', 'index what .gitignore leaves out')
    .option('--fresh', 'build anew instead of updating')
    .option('--deps', 'kept for compatibility: dependencies are always extracted')
    .option('--no-parse', 'only make it searchable; parse symbols later')
    .option('--json', 'print JSON')
    .action(async (path: string, flags) =>
      (await import('./code/run-index.ts')).runIndex(path, flags),
    )
  code
    .command('list')
    .description('the indexes there are')
    .option('--json', 'print JSON')
    .action(async (flags: ToolFlags) => tool('list_indexes', {}, flags))
  code
    .command('stats')
    .description('what is in an index; without a name, in all of them')
    .argument('[index]')
    .option('--show-failures', 'also files that could not be parsed, and why files were left out')
    .option('--json', 'print JSON')
    .action(async (index: string | undefined, flags: ToolFlags & { showFailures?: boolean }) =>
      tool(
        'index_stats',
        { index_name: index ?? null, include_failures: flags.showFailures ?? false },
        flags,
      ),
    )
  code
    .command('clear')
    .description('delete indexes')
    .argument('<index...>')
    .option('--json', 'print JSON')
    .action(async (names: string[], flags: ToolFlags) =>
      tool('clear_index', { index_names: names }, flags),
    )
  code
    .command('languages')
    .description('the languages there are, and how each is read')
    .option('--json', 'print JSON')
    .action(async (flags: ToolFlags) =>
      (await import('./code/show-languages.ts')).showLanguages(flags.json ?? false),
    )
  code
    .command('config')
    .description('the settings that hold here, from cocosearch.yaml and the environment')
    .action(async () => (await import('./code/show-config.ts')).showConfig())
}

function registerSearching(code: Command): void {
  code
    .command('search')
    .description('search code by words, questions or names')
    .argument('[query...]')
    .option('-n, --index <name>', 'index to search')
    .option('--indexes <a,b>', 'several indexes')
    .option('-l, --limit <n>', 'how many results; search.resultLimit, else 10')
    .option('--lang <a,b>', 'only these languages; also lang:py inside the query')
    .option('--min-score <n>', 'leave out what scores less, 0..1; search.minScore, else 0')
    .option('-A, --after-context <n>', 'lines after each result')
    .option('-B, --before-context <n>', 'lines before each result')
    .option('-C, --context <n>', 'lines around each result')
    .option('--no-smart', 'without the definition around each result')
    .option('--hybrid', 'kept for compatibility')
    .option('--symbol-type <type>', 'function, class, method, interface (repeatable)', collect)
    .option('--symbol-name <glob>', 'only symbols of such a name')
    .option('--exact', 'every line with exactly this text')
    .option('--regex', 'every line that matches this pattern')
    .option('--max-tokens <n>', 'fit the answer into so many tokens')
    .option('--no-cache', 'kept for compatibility: nothing is cached')
    .option('--no-rewrite', 'search the query as it is')
    .option('--deps', 'with what each file depends on')
    .option('--pretty', 'kept for compatibility: this is the default')
    .option('-i, --interactive', 'ask again and again')
    .option('--json', 'print JSON')
    .action(async (words: string[], flags) => {
      if (flags.interactive || words.length === 0)
        return (await import('./code/interactive.ts')).runInteractive(flags)
      return exitWith(
        await (await import('./code/run-search.ts')).runSearch(words.join(' '), flags),
      )
    })
  code
    .command('analyze')
    .description('why a search answers as it does')
    .argument('<query...>')
    .option('-n, --index <name>', 'index to search')
    .option('--lang <a,b>', 'only these languages')
    .option('--json', 'print JSON')
    .action(async (words: string[], flags: ToolFlags & { lang?: string }) =>
      tool('analyze_query', { query: words.join(' '), language: flags.lang ?? null }, flags),
    )
  for (const [name, toolName, description] of SYMBOL_COMMANDS) {
    code
      .command(name)
      .description(description)
      .argument('<name>')
      .option('-n, --index <name>', 'index to search')
      .option('--json', 'print JSON')
      .action(async (value: string, flags: ToolFlags) =>
        tool(toolName, toolName === 'outline' ? { file: value } : { name: value }, flags),
      )
  }
}

const SYMBOL_COMMANDS = [
  ['symbol', 'find_symbol', 'where a symbol is defined'],
  ['references', 'find_references', 'where a name is used'],
  ['outline', 'outline', 'the definitions of a file'],
] as const

function registerGraph(code: Command): void {
  const deps = code.command('deps').description('what files depend on, and what depends on them')
  const onFiles = (name: string, description: string): Command =>
    deps
      .command(name)
      .description(description)
      .argument('<file...>')
      .option('-n, --index <name>', 'index to ask')
      .option('--depth <n>', 'steps to follow, at most 20')
      .option('--type <type>', 'import or reference')
      .option('--json', 'print JSON')
  type Flags = ToolFlags & { depth?: string; type?: string }
  const graph = async (
    of: 'dependencies' | 'impact',
    files: string[],
    flags: Flags,
    depth: number,
  ): Promise<void> => {
    const [file] = files
    const how = { depth: Number(flags.depth ?? depth), dep_type: flags.type ?? null }
    return files.length > 1
      ? tool(`get_batch_${of}`, { files, ...how }, flags)
      : tool(`get_file_${of}`, { file, ...how }, flags, of === 'impact' ? 'impact_tree' : 'tree')
  }
  onFiles('show', 'what files import, directly').action(async (files: string[], flags: Flags) =>
    graph('dependencies', files, flags, 1),
  )
  onFiles('tree', 'what files import, and so on').action(async (files: string[], flags: Flags) =>
    graph('dependencies', files, flags, 5),
  )
  onFiles('impact', 'what a change of files affects').action(
    async (files: string[], flags: Flags) => graph('impact', files, flags, 3),
  )
}
