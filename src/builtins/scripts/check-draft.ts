import { isObject } from '../../base/json/json.ts'
import { type ScriptDraft, ScriptError } from '../../protocol/saved-scripts.ts'

/** A name of a tool, and of a property in JavaScript. */
const NAME = /^[a-z][a-z\d_]{0,47}$/
const MOST_DESCRIPTION = 1000
const MOST_SCHEMA = 16 * 1024
const MOST_SOURCE = 64 * 1024

/** Refuses a draft that could not be a tool: all callers would see it. */
export function checkDraft({ name, description, inputSchema, source }: ScriptDraft): void {
  if (!NAME.test(name))
    throw new ScriptError(
      `'${name}' is not a name for a script`,
      'Use up to 48 small letters, digits and underscores, with a letter first: count_late_births.',
    )
  if (description.trim() === '' || description.length > MOST_DESCRIPTION)
    throw new ScriptError(
      'A saved script needs a description',
      `Say in at most ${MOST_DESCRIPTION} characters what it does: agents find it by that.`,
    )
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object')
    throw new ScriptError(
      'The input schema is not that of an object',
      'Give a JSON Schema such as {"type":"object","properties":{"month":{"type":"integer"}}}.',
    )
  if (JSON.stringify(inputSchema).length > MOST_SCHEMA)
    throw new ScriptError(
      'The input schema is too long',
      `It has room for ${MOST_SCHEMA} characters.`,
    )
  if (source.trim() === '' || source.length > MOST_SOURCE)
    throw new ScriptError(
      source.trim() === '' ? 'The script is empty' : 'The script is too long',
      `A saved script has from 1 to ${MOST_SOURCE} characters.`,
    )
}
