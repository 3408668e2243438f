import { stripVTControlCharacters } from 'node:util'
import { messageOf } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { hideFields } from '../../base/secrets/hide-fields.ts'
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
    entriesOf(mcpServers).flatMap(([name, entry]) =>
      describeServer(entry).map((line) => `server ${name}: ${line}`),
    ),
  rules: ({ agents, groups, ...others }) => [
    ...entriesOf(agents).map(([id, rules]) => `agent ${id}: ${asText(rules)}`),
    ...entriesOf(groups).map(([name, rules]) => `group ${name}: ${asText(rules)}`),
    ...leavesOf('', others),
  ],
  settings: (content) => leavesOf('', hideFields(content)),
}

/** Says what the server is, then everything else that its entry sets. */
function describeServer(entry: unknown): string[] {
  if (!isObject(entry)) return ['not an object']
  const { is, others } = kindOf(hideFields(entry))
  const reads = [...new Set(asText(entry).match(/\$\{[\w.]+/g))].map((each) => each.slice(2))
  const variables = reads.length > 0 ? ` (with the variables ${reads.join(', ')})` : ''
  return [`${is}${variables}`, ...leavesOf('', others)]
}

function kindOf(entry: JsonObject): { readonly is: string; readonly others: JsonObject } {
  const { command, args, ...ofCommand } = entry
  if (command !== undefined) {
    const words = [command, ...(Array.isArray(args) ? args : [])].map(asText).join(' ')
    return { is: `runs ${words}`, others: ofCommand }
  }
  const { url, ...ofUrl } = entry
  if (url !== undefined) return { is: `connects to ${asText(url)}`, others: ofUrl }
  const { openapi, ...ofApi } = entry
  if (openapi !== undefined) return { is: `calls the API of ${asText(openapi)}`, others: ofApi }
  const { builtin, ...ofBuiltin } = entry
  return { is: `built-in ${asText(builtin)}`, others: ofBuiltin }
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

/** Removes secrets and what changes how a line looks, as somebody else wrote the text. */
function plain(line: string): string {
  return hide(stripVTControlCharacters(line).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' '))
}
