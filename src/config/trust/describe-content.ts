import { stripVTControlCharacters } from 'node:util'
import { messageOf } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { hideFields, tellingName } from '../../base/secrets/hide-fields.ts'
import { hasSecretShape, hide, isSecretName } from '../../base/secrets/secrets.ts'
import type { FileKind } from '../paths.ts'
import { parseJson, parseYaml } from '../parse-text.ts'

/** A kind of configuration file, a pack by its `pack.yaml`, or variables by their names. */
export type TrustedKind = FileKind | 'pack' | 'env'

/**
 * Describes what a file would do once trusted, line by line; does not substitute `${VAR}`. What runs
 * and which addresses are used is shown in full, because somebody else wrote it, and could write it so
 * that it looks like a secret.
 */
export function describeContent(kind: TrustedKind, text: string): string[] {
  try {
    const content = kind === 'settings' || kind === 'pack' ? parseYaml(text) : parseJson(text)
    return DESCRIBE[kind](isObject(content) ? content : {}).map(plain)
  } catch (error) {
    return [hide(plain(messageOf(error)))]
  }
}

const DESCRIBE: Record<TrustedKind, (content: JsonObject) => string[]> = {
  mcp: ({ mcpServers }) =>
    entriesOf(mcpServers).flatMap(([name, entry]) =>
      describeServer(entry).map((line) => `server ${name}: ${line}`),
    ),
  rules: ({ agents, groups, ...others }) => [
    ...entriesOf(agents).map(([id, rules]) => `agent ${id}: ${asText(rules)}`),
    ...entriesOf(groups).map(([name, rules]) => `group ${name}: ${asText(rules)}`),
    ...leavesOf('', others),
  ],
  settings: (content) => leavesOf('', content),
  env: (variables) => leavesOf('', variables),
  pack: ({ extension, ...entry }) => [
    ...(extension === undefined ? [] : [`runs the code of ${asText(extension)}`]),
    ...describeServer(entry),
  ],
}

/** Says what the server is, then everything else that its entry sets. */
function describeServer(entry: unknown): string[] {
  if (!isObject(entry)) return ['not an object']
  const { is, others } = kindOf(entry)
  const reads = [...new Set(asText(entry).match(/\$\{[\w.]+(?::(?!-)[^}]+)?/g))].map((each) =>
    each.slice(2),
  )
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
  if (builtin !== undefined) return { is: `built-in ${asText(builtin)}`, others: ofBuiltin }
  const none = 'starts nothing, because it has no command, url, builtin or openapi'
  return { is: none, others: entry }
}

function leavesOf(path: string, value: unknown, name = ''): string[] {
  if (!isObject(value)) return [`sets ${path} to ${withoutSecret(asText(value), name)}`]
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(path === '' ? key : `${path}.${key}`, inner, tellingName(key, name)),
  )
}

/** One word, or one after the scheme of a header: no shell reads more than one command in it. */
const WORD = /^(?:(?:Bearer|Basic|Token|Digest) +)?[\w.~+/=:@%?-]+$/i

function withoutSecret(value: string, name: string): string {
  if (!WORD.test(value)) return value
  const hidden = hideFields(value, name)
  if (isSecretName(name) || hasSecretShape(value)) return hidden
  // What comes before an @ may be the host: `https://evil.example:/path@good.example`.
  return URL.canParse(value) && hidden.includes(new URL(value).host) ? hidden : value
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Removes what changes how a line looks, as somebody else wrote the text. */
function plain(line: string): string {
  return stripVTControlCharacters(line).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}
