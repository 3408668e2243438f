import { parseArgs } from 'node:util'
import type { CommandPort, JsonObject } from 'portolan'
import { render } from './render.ts'
import { object, text } from './values.ts'

const USAGE = `Searches the sheep of the National Sheep Improvement Program.

portolan api nsip breeds          list the breeds and their ids
portolan api nsip search <lpn>    show an animal with its breeding values, parents and owner
  --full                          include its pedigree and offspring
portolan api nsip find            list animals, page by page
  --breed-id <id>                 only animals of this breed
  --page <number>                 page number, from 0 (default: 0)
  --page-size <number>            animals per page, at most 100 (default: 15)

With each: --json prints the answer as JSON, --demo asks a synthetic flock, --base-url <url> and
--allow-private ask another server than the public one.
`

/** The exit code shells expect for wrong usage. */
const WRONG_USAGE = 2
const INVALID_PARAMS = -32602

const OPTIONS = {
  json: { type: 'boolean' },
  full: { type: 'boolean' },
  'breed-id': { type: 'string' },
  page: { type: 'string', default: '0' },
  'page-size': { type: 'string', default: '15' },
} as const

interface Query {
  readonly tool: string
  readonly args: JsonObject
  readonly kind: keyof typeof render
  readonly json: boolean | undefined
}

/** The commands that search the database. Exits with 1 if a call fails, with 2 on wrong usage. */
export async function searchCommand(words: readonly string[], api: CommandPort): Promise<number> {
  if (words[0] === 'help') return print(USAGE)
  const query = readWords(words)
  if (typeof query === 'string') {
    process.stderr.write(`error: ${query}\n`)
    return WRONG_USAGE
  }
  const { structuredContent, isError } = await api.call(query.tool, query.args)
  const content = object(structuredContent)
  if (isError === true) return fail(object(content['error']))
  return print(query.json ? `${JSON.stringify(content, null, 2)}\n` : render[query.kind](content))
}

/** Returns the call that the words ask for, or what is wrong with them. */
function readWords(words: readonly string[]): Query | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: OPTIONS,
      allowPositionals: true,
    })
    const [command = '', ...rest] = positionals
    const read = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
    if (!read) return `unknown command "${command}"; "help" lists them`
    if (rest.length > read.length - 1) return `too many arguments for "${command}"`
    return read(values, rest[0])
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return error.message
    throw error
  }
}

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

/** Each takes its options and, if it has a second parameter, a word. */
const COMMANDS: Readonly<Record<string, (options: Options, word?: string) => Query | string>> = {
  breeds: ({ json }) => ({ tool: 'nsip_list_breeds', args: {}, kind: 'breeds', json }),
  search({ json, full }, lpn) {
    if (lpn === undefined) return 'give an LPN id or registration number to search for'
    return full
      ? { tool: 'nsip_search_by_lpn', args: { lpn_id: lpn }, kind: 'profile', json }
      : { tool: 'nsip_get_animal', args: { search_string: lpn }, kind: 'animal', json }
  },
  find({ json, page, 'page-size': size, 'breed-id': breed }) {
    const args = {
      page: numberFrom(0, 1_000_000, page, '--page'),
      page_size: numberFrom(1, 100, size, '--page-size'),
      ...(breed !== undefined && { breed_id: numberFrom(1, 1_000_000, breed, '--breed-id') }),
    }
    return { tool: 'nsip_search_animals', args, kind: 'page', json }
  },
}

function numberFrom(min: number, max: number, given: string, option: string): number {
  const value = /^\d+$/.test(given) ? Number(given) : NaN
  if (value >= min && value <= max) return value
  throw new RangeError(`${option} must be a whole number from ${min} to ${max}, not "${given}"`)
}

function fail({ code, message, data }: JsonObject): number {
  const { http_status: status, suggestion } = object(data)
  const hint = status === 404 ? 'Check the id, or list animals with "find".' : text(suggestion)
  process.stderr.write(`ERROR: ${text(message)}. ${hint}`.trimEnd() + '\n')
  return code === INVALID_PARAMS ? WRONG_USAGE : 1
}

function print(output: string): number {
  process.stdout.write(output)
  return 0
}
