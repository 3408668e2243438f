import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type SavedScript, type SavedScripts, ScriptError } from '../../protocol/saved-scripts.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, withConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { createTerminal, type Terminal } from '../shared/terminal/terminal.ts'
import { withDatabase } from '../shared/with-database.ts'

/** Registers `portolan scripts`, which saves scripts as tools and decides about proposals. */
export function registerScripts(program: Command): void {
  const scripts = program
    .command('scripts')
    .description('save scripts as tools, and approve or reject those that agents propose')

  withConfigOptions(scripts.command('list'))
    .description('list saved scripts, and the proposals that wait for a decision')
    .option('--json', 'print them as JSON')
    .action(async (flags) =>
      withScripts(flags, async (all) => {
        const found = await all.list()
        if (flags.json) printJson(found)
        else renderScripts(found, createTerminal())
        for (const problem of await all.problems()) process.stderr.write(`left out: ${problem}\n`)
      }),
    )

  withConfigOptions(scripts.command('show'))
    .description('print the source of a proposal, or else of the script that is a tool')
    .argument('<script>', 'its name, or the digest of a proposal')
    .option('--json', 'print all of it as JSON')
    .action(async (script, flags) => {
      const all = await withScripts(flags, async (saved) => saved.list())
      // The newest proposal is first: a person has to read it.
      const found = all.find(({ name, digest }) => name === script || digest === script)
      if (!found) throw noScript(script)
      if (flags.json) return printJson(found)
      process.stderr.write(`${describeScript(found)}\n`)
      process.stdout.write(found.source.endsWith('\n') ? found.source : `${found.source}\n`)
    })

  withConfigOptions(scripts.command('save'))
    .description(
      'save a script as a tool of the server `scripts`, in place of an earlier one of its name',
    )
    .argument('<name>', 'name of the tool: lower-case letters, digits and underscores')
    .argument('[file]', 'JavaScript or TypeScript; by default, or for -, standard input')
    .requiredOption('--description <text>', 'what it does: agents find it by that')
    .option('--input-schema <json>', 'a JSON Schema of its `input`', parseSchema)
    .option('--propose', 'save it as a proposal, which somebody else approves')
    .action(async (name, file = '-', flags) => {
      const source = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
      const { description, inputSchema = { type: 'object', properties: {} } } = flags
      const draft = { name, description, inputSchema, source }
      const saved = await withScripts(
        flags,
        async (all) => (flags.propose ? all.propose(draft, person()) : all.save(draft, person())),
        `scripts save ${name}`,
      )
      process.stderr.write(`${describeScript(saved)}\n`)
    })

  withConfigOptions(scripts.command('approve'))
    .description('make a proposal a tool, in place of an earlier script of its name')
    .argument('<digest>', 'names what you have read: `portolan scripts show` prints it')
    .action(async (digest, flags) => {
      const approved = await withScripts(
        flags,
        async (all) => all.approve(digest, person()),
        `scripts approve ${digest}`,
      )
      process.stderr.write(`${describeScript(approved)}\n`)
    })

  withConfigOptions(scripts.command('reject'))
    .description('remove a proposal')
    .argument('<digest>', 'names the proposal: `portolan scripts list` prints it')
    .action(async (digest, flags) => {
      const { name } = await withScripts(flags, async (all) => all.reject(digest))
      process.stderr.write(`The proposal ${digest} of ${name} is removed.\n`)
    })

  withConfigOptions(scripts.command('remove'))
    .description('remove a script, which is no longer a tool then')
    .argument('<name>')
    .action(async (name, flags) => {
      const reason = `scripts remove ${name}`
      if (!(await withScripts(flags, async (all) => all.remove(name), reason))) throw noScript(name)
      process.stderr.write(`${name} is removed.\n`)
    })
}

function noScript(name: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `there is no script '${name}'; \`portolan scripts list\` shows them`,
  )
}

function parseSchema(given: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(given)
    if (isObject(parsed)) return parsed
  } catch {
    // Reported below, like a value that is not an object.
  }
  throw new InvalidArgumentError(
    `not a JSON object: ${given}. Write it like '{"type":"object","properties":{"month":{"type":"integer"}}}'`,
  )
}

/** Returns who decides: anyone with a shell on the machine of the data, or the database URL. */
function person(): string {
  return userInfo().username
}

/**
 * Opens the scripts in the database of PORTOLAN_DATABASE_URL, or in the data folder. Running
 * gateways notice changes; with a reason, a change of files is a version of the configuration.
 */
async function withScripts<Result>(
  options: ConfigOptions,
  use: (scripts: SavedScripts) => Promise<Result>,
  reason?: string,
): Promise<Result> {
  const [{ openSavedScripts }, { loadSettings }] = await Promise.all([
    import('../../builtins/scripts/open-saved-scripts.ts'),
    import('../../config/load.ts'),
  ])
  try {
    return await withDatabase(process.env, async (database) => {
      const home = database ? '' : loadSettings(toLoadOptions(options)).home
      const scripts = await openSavedScripts(home, database?.storage)
      if (database || reason === undefined) return use(scripts)
      const { changeFiles } = await import('../shared/files/change-files.ts')
      const place = { cwd: process.cwd(), env: process.env }
      return changeFiles(place, { reason }, async () => use(scripts))
    })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new GatewayError('INVALID_PARAMS', error.message, { hint: error.hint, cause: error })
  }
}

function renderScripts(
  scripts: readonly SavedScript[],
  { table, line, paint }: Pick<Terminal, 'table' | 'line' | 'paint'>,
): void {
  if (scripts.length === 0) {
    line('No scripts are saved. `portolan scripts save` saves one.')
    return
  }
  table(
    scripts.map(({ name, state, digest, author, savedAt, description }) => [
      name,
      paint(state === 'approved' ? 'green' : 'yellow', state),
      digest,
      author === '' ? '' : `by ${author}`,
      savedAt.slice(0, 10),
      description.split('\n')[0]?.slice(0, 80) ?? '',
    ]),
    '',
  )
}

/** Describes the state of a script, and what can be done next. */
function describeScript({ name, state, digest }: SavedScript): string {
  return state === 'approved'
    ? `${name}: calls of scripts.${name} run it.`
    : `${name}: it waits: \`portolan scripts approve ${digest}\` makes it a tool.`
}
