import { stripVTControlCharacters } from 'node:util'
import { messageOf } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { hide } from '../../base/secrets/secrets.ts'
import type { FileKind } from '../../config/paths.ts'
import { parseJson, parseYaml } from '../../config/reload/load-part.ts'

/** Describes what a file would do once trusted, line by line; does not substitute `${VAR}`. */
export function describeContent(kind: FileKind, text: string): string[] {
  try {
    const content = kind === 'settings' ? parseYaml(text) : parseJson(text)
    return DESCRIBE[kind](isObject(content) ? content : {}).map(plain)
  } catch (error) {
    return [plain(messageOf(error))]
  }
}

const DESCRIBE: Record<FileKind, (content: JsonObject) => string[]> = {
  mcp: ({ mcpServers }) =>
    entriesOf(mcpServers).map(([name, entry]) => describeServer(name, entry)),
  rules: ({ agents }) => entriesOf(agents).map(([id, rules]) => `agent ${id}: ${asText(rules)}`),
  settings: (content) => leavesOf('', content),
}

function describeServer(name: string, entry: unknown): string {
  if (!isObject(entry)) return `server ${name}: not an object`
  const { command, args, url, builtin, openapi } = entry
  const reads = [...new Set(asText(entry).match(/\$\{\w+/g))].map((each) => each.slice(2))
  const variables = reads.length > 0 ? ` (with the variables ${reads.join(', ')})` : ''
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ')
    return `server ${name}: runs ${words}${variables}`
  }
  if (url !== undefined) return `server ${name}: connects to ${asText(url)}${variables}`
  if (openapi !== undefined)
    return `server ${name}: calls the API of ${asText(openapi)}${variables}`
  return `server ${name}: built-in ${asText(builtin)}`
}

function leavesOf(path: string, value: unknown): string[] {
  if (!isObject(value)) return [`sets ${path} to ${asText(value)}`]
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(path === '' ? key : `${path}.${key}`, inner),
  )
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
}

/** Removes control characters and secrets, as somebody else wrote the text. */
function plain(line: string): string {
  return hide(stripVTControlCharacters(line).replaceAll(/\p{Cc}/gu, ' '))
}
