import type { Command } from '@commander-js/extra-typings'
import { accepted, collect, exitWith, tool } from '../run-command.ts'

export function registerIndexing(code: Command): void {
  code
    .command('index')
    .description('index a folder, or update its index')
    .argument('[path]', 'the folder', '.')
    .option('-n, --name <name>', 'name of the index')
    .option('-i, --include <glob>', 'only files that match (repeatable)', collect)
    .option('-e, --exclude <glob>', 'leave out files that match (repeatable)', collect)
    .option('--no-gitignore', 'also index files that .gitignore leaves out')
    .option('--fresh', 'rebuild instead of updating')
    .addOption(accepted('--deps'))
    .option('--no-parse', 'only make it searchable; parse symbols later')
    .option('--json', 'print JSON')
    .action(async (path, flags) =>
      exitWith(await (await import('./run-index.ts')).runIndex(path, flags)),
    )
  code
    .command('list')
    .description('list the indexes')
    .addOption(accepted('--pretty'))
    .option('--json', 'print JSON')
    .action(async (flags) => tool('list_indexes', {}, flags))
  code
    .command('stats')
    .description('show what an index contains; without a name, all indexes')
    .argument('[index]')
    .option('--all', 'all indexes')
    .option('--show-failures', 'also files that could not be parsed, and why files were left out')
    .addOption(accepted('--pretty'))
    .option('--json', 'print JSON')
    .action(async (index, { all, showFailures, json }) =>
      showStats(all ? undefined : index, { showFailures, json }),
    )
  code
    .command('clear')
    .description('delete indexes')
    .argument('[index...]')
    .option('--all', 'all indexes')
    .option('--force', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action(async (names, flags) =>
      exitWith(await (await import('./run-clear.ts')).runClear(names, flags)),
    )
  code
    .command('languages')
    .description('list the supported languages, and how each is parsed')
    .option('--json', 'print JSON')
    .action(async (flags) =>
      (await import('./show-languages.ts')).showLanguages(flags.json ?? false),
    )
  registerConfig(code)
}

/** Prints what an index contains, or all of them. */
export async function showStats(
  index: string | undefined,
  {
    showFailures = false,
    json = false,
  }: Partial<Record<'showFailures' | 'json', boolean | undefined>>,
): Promise<void> {
  await tool('index_stats', { index_name: index ?? null, include_failures: showFailures }, { json })
}

function registerConfig(code: Command): void {
  const config = code
    .command('config')
    .description('show the settings of this folder, from its file and the environment')
  config
    .command('show', { isDefault: true })
    .description('all of them')
    .action(async () => (await import('./show-config.ts')).showConfig())
  config
    .command('path')
    .description('show which file the settings come from')
    .action(async () => exitWith((await import('./show-config.ts')).showConfigPath()))
  config
    .command('check')
    .description('check whether the settings are valid')
    .action(async () => exitWith((await import('./show-config.ts')).checkConfig()))
}
