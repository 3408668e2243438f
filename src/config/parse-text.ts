import { createRequire } from 'node:module'
import { messageOf } from '../base/errors.ts'

export class ParseError extends Error {
  override readonly name = 'ParseError'
}

/** Parses JSON with comments and trailing commas, which editors accept in such files. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return parseWithComments(text, cause)
  }
}

/** Loads its parser only for a file that is not plain JSON, to keep the start fast. */
function parseWithComments(text: string, cause: unknown): unknown {
  const jsonc: typeof import('jsonc-parser') = createRequire(import.meta.url)('jsonc-parser')
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true })
  if (errors.length === 0 && text.trim() !== '') return value
  // The message may quote the text around the mistake, in which there may be secrets.
  const said = messageOf(cause).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
  const offset = errors[0]?.offset ?? /position (\d+)/.exec(said)?.[1]
  const place = offset === undefined ? 'at its end' : `at ${lineAndColumn(text, Number(offset))}`
  throw new ParseError(`is not valid JSON: ${said} (${place})`, { cause })
}

/** Loads the parser, which takes 40 ms, only now, as most people have no YAML file. */
export function parseYaml(text: string): unknown {
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml')
  try {
    return yaml.parse(text)
  } catch (cause) {
    // The message shows an excerpt of the file after its first line.
    const [said = ''] = messageOf(cause).split('\n')
    throw new ParseError(`is not valid YAML: ${said.replace(/:$/, '')}`, { cause })
  }
}

function lineAndColumn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
