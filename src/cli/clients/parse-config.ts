import { TomlError, parse as parseToml } from 'smol-toml'
import { messageOf } from '../../base/errors.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { isObject } from '../../base/json/json.ts'
import { parseJson, parseYaml } from '../../config/parse-text.ts'
import type { ClientConfig } from './client.ts'

/** Parses a client's file: JSON with comments and trailing commas, TOML, or YAML. */
export function parseConfig(text: string, { file, format }: Pick<ClientConfig, 'file' | 'format'>) {
  const value = parseText(text.replace(/^\uFEFF/, ''), file, PARSERS[format])
  if (isObject(value)) return value
  throw unreadable(file, 'it holds no settings but a single value')
}

const PARSERS = { json: parseJson, toml: fromToml, yaml: parseYaml }

/** Treats an empty file as one without settings. */
function parseText(text: string, file: string, parse: (text: string) => unknown): unknown {
  if (text.trim() === '') return {}
  try {
    return parse(text) ?? {}
  } catch (cause) {
    throw unreadable(file, `it ${messageOf(cause)}`, cause)
  }
}

function fromToml(text: string): unknown {
  try {
    return parseToml(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    // The message shows an excerpt of the file after its first line.
    const said = cause.message.split('\n', 1)[0]?.replace('Invalid TOML document: ', '')
    const place = `line ${cause.line}, column ${cause.column}`
    throw new Error(`is not valid TOML: ${said} (at ${place})`, { cause })
  }
}

function unreadable(file: string, reason: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_PARAMS', `${file} cannot be read: ${reason}`, {
    hint: 'Fix the file; nothing was changed in it.',
    cause,
  })
}
