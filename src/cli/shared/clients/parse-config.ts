import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { messageOf } from '../../../base/errors.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { isObject } from '../../../base/json/json.ts'
import type { ClientConfig } from './client.ts'

/** The content of a client's file: JSON with comments and trailing commas, TOML, or YAML. */
export function parseConfig(text: string, { file, format }: Pick<ClientConfig, 'file' | 'format'>) {
  const value =
    format === 'json' ? fromJson(text, file) : fromText(text, file, TEXT_PARSERS[format])
  if (isObject(value)) return value
  throw unreadable(file, 'it holds no settings but a single value')
}

function fromJson(text: string, file: string): unknown {
  const plain = text.replace(/^\uFEFF/, '')
  if (plain.trim() === '') return {}
  const errors: ParseError[] = []
  const value: unknown = parse(plain, errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const line = plain.slice(0, first.offset).split('\n').length
  throw unreadable(file, `${printParseErrorCode(first.error)} in line ${line}`)
}

const TEXT_PARSERS = {
  toml: (text: string): unknown => parseToml(text),
  yaml: (text: string): unknown => parseYaml(text) ?? {},
}

function fromText(text: string, file: string, parseText: (text: string) => unknown): unknown {
  try {
    return parseText(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    const [said = ''] = messageOf(cause).split('\n')
    throw unreadable(file, said, cause)
  }
}

function unreadable(file: string, reason: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_PARAMS', `${file} cannot be read: ${reason}`, {
    hint: 'Fix the file; nothing was changed in it.',
    cause,
  })
}
