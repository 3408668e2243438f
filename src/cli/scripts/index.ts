import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { type SavedScripts, type ScriptVersion, ScriptError } from '../../protocol/saved-scripts.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ConfigOptions, withConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { numberBetween } from '../shared/terminal/option-values.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { createTerminal, type Terminal } from '../shared/terminal/terminal.ts'
import { withDatabase } from '../shared/with-database.ts'

interface ListFlags extends ConfigOptions {
  readonly json?: true
}

interface SaveFlags extends ConfigOptions {
  readonly description: string
  readonly inputSchema?: JsonObject
  readonly propose?: true
}

interface ChoiceFlags extends ConfigOptions {
  readonly version?: number
}

/** Registers `portolan scripts`, which saves scripts as tools and decides about proposals. */
export function registerScripts(program: Command): void {
  const scripts = program
    .command('scripts')
    .description('save scripts as tools, and approve or reject those that agents propose')

  withConfigOptions(scripts.command('list'))
    .description('list saved scripts: the newest and the active version of each')
    .option('--json', 'print them as JSON')
    .action(async (flags: ListFlags) => {
      const found = await withScripts(flags, async (all) => all.list())
      show(found, flags)
    })

  withConfigOptions(scripts.command('history'))
    .description('list all versions of a script, newest first')
    .argument('<name>')
    .option('--json', 'print them as JSON')
    .action(async (name: string, flags: ListFlags) => {
      show(await existing(name, flags), flags)
    })

  withVersion(scripts.command('show'))
    .description('print the source of a script; the newest version by default')
    .argument('<name>')
    .option('--json', 'print the whole version as JSON')
    .action(async (name: string, flags: ChoiceFlags & ListFlags) => {
      const versions = await existing(name, flags)
      const found = versions.find(({ version }) => version === (flags.version ?? version))
      if (!found) throw noVersion(name, flags.version)
      if (flags.json) return printJson(found)
      process.stderr.write(`${describeVersion(found)}\n`)
      process.stdout.write(found.source.endsWith('\n') ? found.source : `${found.source}\n`)
    })

  withConfigOptions(scripts.command('save'))
    .description('save a script as a tool of the server `scripts`, and make it the active version')
    .argument('<name>', 'name of the tool: lower-case letters, digits and underscores')
    .argument('[file]', 'JavaScript or TypeScript; by default, or for -, standard input')
    .requiredOption('--description <text>', 'what it does: agents find it by that')
    .option('--input-schema <json>', 'a JSON Schema of its `input`', parseSchema)
    .option('--propose', 'save it as a proposal, which somebody else approves')
    .action(async (name: string, file = '-', flags: SaveFlags) => {
      const source = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
      const { description, inputSchema = { type: 'object', properties: {} } } = flags
      const draft = { name, description, inputSchema, source }
      const saved = await withScripts(flags, async (all) =>
        flags.propose ? all.propose(draft, person()) : all.save(draft, person()),
      )
      process.stderr.write(`${describeVersion(saved)}\n`)
    })

  withConfigOptions(scripts.command('approve'))
    .description('make a version active: a proposal, or an earlier version')
    .argument('<name>')
    .argument('<digest>', 'names the version that you have read: `portolan scripts show` prints it')
    .action(async (name: string, digest: string, flags: ConfigOptions) => {
      const approved = await withScripts(flags, async (all) =>
        all.approve({ name, digest }, person()),
      )
      process.stderr.write(`${describeVersion(approved)}\n`)
    })

  withVersion(scripts.command('reject'))
    .description('reject a version; if it was active, the script is no longer a tool')
    .argument('<name>')
    .action(async (name: string, { version, ...flags }: ChoiceFlags) => {
      const rejected = await withScripts(flags, async (all) =>
        all.reject({ name, version }, person()),
      )
      process.stderr.write(`${describeVersion(rejected)}\n`)
    })

  withConfigOptions(scripts.command('remove'))
    .description('remove a script with all its versions')
    .argument('<name>')
    .action(async (name: string, flags: ConfigOptions) => {
      if (!(await withScripts(flags, async (all) => all.remove(name)))) throw noScript(name)
      process.stderr.write(`${name} is removed.\n`)
    })
}

function withVersion(command: Command): Command {
  return withConfigOptions(command).option(
    '--version <number>',
    'which version; by default the newest',
    numberBetween(1, 1_000_000),
  )
}

async function existing(name: string, flags: ConfigOptions): Promise<readonly ScriptVersion[]> {
  const versions = await withScripts(flags, async (all: SavedScripts) => all.history(name))
  if (versions.length === 0) throw noScript(name)
  return versions
}

function show(versions: readonly ScriptVersion[], { json }: ListFlags): void {
  if (json) printJson(versions)
  else renderScripts(versions, createTerminal())
}

function noScript(name: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `there is no script '${name}'; \`portolan scripts list\` shows them`,
  )
}

function noVersion(name: string, version: number | undefined): InvalidArgumentError {
  return new InvalidArgumentError(
    `the script '${name}' has no version ${version}; \`portolan scripts history ${name}\` shows them`,
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
 * Opens the scripts in the database of PORTOLAN_DATABASE_URL, or of the data folder. Running
 * gateways notice changes.
 */
async function withScripts<Result>(
  options: ConfigOptions,
  use: (scripts: SavedScripts) => Promise<Result>,
): Promise<Result> {
  const { createSavedScripts } = await import('../../builtins/scripts/create-saved-scripts.ts')
  try {
    return await withDatabase(process.env, async (database) => {
      if (database) return use(createSavedScripts(database.storage))
      const [{ loadSettings }, { openStorage }] = await Promise.all([
        import('../../config/load.ts'),
        import('../../storage/open-storage.ts'),
      ])
      const storage = await openStorage({ home: loadSettings(toLoadOptions(options)).home })
      try {
        return await use(createSavedScripts(storage))
      } finally {
        await storage.close()
      }
    })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new GatewayError('INVALID_PARAMS', error.message, { hint: error.hint, cause: error })
  }
}

function renderScripts(
  versions: readonly ScriptVersion[],
  { table, line, paint }: Pick<Terminal, 'table' | 'line' | 'paint'>,
): void {
  if (versions.length === 0) {
    line('No scripts are saved. `portolan scripts save` saves one.')
    return
  }
  table(
    versions.map((each) => [
      each.name,
      `version ${each.version}`,
      paint(STYLES[stateOf(each)], stateOf(each)),
      `by ${each.author}`,
      new Date(each.createdAt).toISOString().slice(0, 10),
      each.description.split('\n')[0]?.slice(0, 80) ?? '',
    ]),
    '',
  )
}

const STYLES = { active: 'green', proposed: 'yellow', approved: 'dim', rejected: 'red' } as const

function stateOf({ isActive, state }: ScriptVersion): keyof typeof STYLES {
  return isActive ? 'active' : state
}

/** Describes the state of a version, and what can be done next. */
function describeVersion(script: ScriptVersion): string {
  const { name, version, digest } = script
  const approve = `\`portolan scripts approve ${name} ${digest}\``
  const next = {
    active: `calls of scripts.${name} run it.`,
    proposed: `it waits: ${approve} makes it a tool.`,
    approved: `another version is active; ${approve} goes back to it.`,
    rejected: `it is rejected; ${approve} changes that.`,
  }
  return `${name} version ${version}: ${next[stateOf(script)]}`
}
