import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { isObject } from '../../base/json/json.ts'
import { type SavedScript, type ScriptDraft, ScriptError } from '../../protocol/saved-scripts.ts'

/**
 * A saved script is a text that people can read and edit: its source, below a comment in YAML. A
 * script that is a tool has its name in the name of its file, a proposal has it in the comment.
 *
 * ```ts
 * // description: The length of a text
 * // input:
 * //   type: object
 * // author: ada
 * // ---
 * return input.text.length
 * ```
 */
const HEAD = /^(?<head>(?:\/\/[^\n]*\n)*?)\/\/ ---\r?\n/

const EXAMPLE =
  'It begins with the lines "// description: …", "// input: {type: object}" and "// ---", and its source follows.'

export async function toText(script: Omit<SavedScript, 'digest'>): Promise<string> {
  checkDraft(script)
  const { name, description, inputSchema, source, author, savedAt, approvedBy, state } = script
  const { stringify } = await import('yaml')
  const head = stringify(
    {
      ...(state === 'proposed' && { name }),
      description: description.trim(),
      input: inputSchema,
      author,
      saved: savedAt,
      ...(approvedBy !== undefined && { approved_by: approvedBy }),
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  )
  const lines = head.slice(0, -1).split('\n')
  const comment = lines.map((line) => (line === '' ? '//' : `// ${line}`)).join('\n')
  // As it will be read: half of a character becomes another one.
  return Buffer.from(`${comment}\n// ---\n${source}`).toString()
}

/** Reads the text of a file; throws if it cannot be a tool. */
export async function fromText(file: string, text: string): Promise<SavedScript> {
  const isProposal = file.includes('/')
  const head = HEAD.exec(text)
  if (!head) throw new ScriptError('It does not say what it does', EXAMPLE)
  const { parse } = await import('yaml')
  const lines = (head.groups?.['head'] ?? '').split('\n')
  const said: unknown = parse(lines.map((line) => line.replace(/^\/\/ ?/, '')).join('\n'))
  const fields = isObject(said) ? said : {}
  const { description, input = { type: 'object', properties: {} }, name } = fields
  const draft: ScriptDraft = {
    name: isProposal ? textOf(name) : basename(file, '.ts'),
    description: textOf(description).trim(),
    inputSchema: isObject(input) ? input : {},
    source: text.slice(head[0].length),
  }
  checkDraft(draft)
  const { author, saved, approved_by: approvedBy } = fields
  return {
    ...draft,
    state: isProposal ? 'proposed' : 'approved',
    digest: digestOf(draft),
    author: textOf(author),
    savedAt: textOf(saved),
    ...(approvedBy !== undefined && { approvedBy: textOf(approvedBy) }),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** 160 bits: an agent that writes both cannot find two scripts with one digest, of which a person reads one. */
const DIGEST_CHARACTERS = 40

function digestOf({ name, description, inputSchema, source }: ScriptDraft): string {
  const content = JSON.stringify([name, description, inputSchema, source])
  return createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARACTERS)
}

/** Valid as a tool name and as a JavaScript property name. */
const NAME = /^[a-z][a-z\d_]{0,47}$/
const MAX_DESCRIPTION = 1000
const MAX_SCHEMA = 16 * 1024
const MAX_SOURCE = 64 * 1024

/** Throws if a draft cannot be a tool, because all callers would see it. */
function checkDraft({ name, description, inputSchema, source }: ScriptDraft): void {
  if (!NAME.test(name))
    throw new ScriptError(
      `'${name}' is not a name for a script`,
      'Use up to 48 small letters, digits and underscores, with a letter first: count_late_births.',
    )
  if (description.trim() === '' || description.length > MAX_DESCRIPTION)
    throw new ScriptError(
      'A saved script needs a description',
      `Say in at most ${MAX_DESCRIPTION} characters what it does: agents find it by that.`,
    )
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object')
    throw new ScriptError(
      'The input schema is not that of an object',
      'Give a JSON Schema such as {"type":"object","properties":{"month":{"type":"integer"}}}.',
    )
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA)
    throw new ScriptError(
      'The input schema is too long',
      `It has room for ${MAX_SCHEMA} characters.`,
    )
  if (source.trim() === '' || source.length > MAX_SOURCE)
    throw new ScriptError(
      source.trim() === '' ? 'The script is empty' : 'The script is too long',
      `A saved script has from 1 to ${MAX_SOURCE} characters.`,
    )
}
