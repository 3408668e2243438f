import { type JsonObject, isObject } from '../../base/json/json.ts'
import { hide as hideByShape, isSecretName } from '../../base/secrets/secrets.ts'
import { decodeUri } from '../../base/text/decode-uri.ts'
import type { Environment } from '../../base/environment.ts'
import { formatSecrets } from './secrets-file.ts'
import { readSecrets, secretsText, storeSecrets } from './stored-secrets.ts'
import { variableName } from './variable-name.ts'

/** The names and values of extracted secrets; never to be printed. */
export type Secrets = Map<string, string>

/** Returns the secrets of the data folder, to which those of entries can be added. */
export function storedSecrets(home: string, env: Environment): Secrets {
  return new Map(Object.entries(readSecrets(home, env)).map(([name, value]) => [name, value ?? '']))
}

/** Returns the secrets that are not stored yet. */
export function newSecrets(home: string, env: Environment, secrets: Secrets): Secrets {
  const stored = readSecrets(home, env)
  return new Map([...secrets].filter(([name]) => !Object.hasOwn(stored, name)))
}

/** Appends to the stored secrets. */
export function appendSecrets(
  home: string,
  env: Environment,
  secrets: ReadonlyMap<string, string>,
): void {
  if (secrets.size === 0) return
  const before = secretsText(home, env) ?? ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  storeSecrets(home, env, before + gap + formatSecrets(secrets))
}

const SECRET_HEADER = /authorization|cookie|^x-.*(key|token|secret)/i

/**
 * Replaces the secrets of an entry by `${VARIABLES}`, and adds their values to `secrets`. With `env`, a
 * name that has another value there is not used: the environment comes before stored secrets.
 */
export function hideSecrets(
  server: string,
  entry: JsonObject,
  secrets: Secrets,
  env: Environment = {},
): JsonObject {
  const hide: Hide = (value, name) => `\${${storeSecret(secrets, value, name, { server, env })}}`
  const { env: variables, headers, args, url } = entry
  return {
    ...entry,
    ...(isObject(variables) && {
      env: hideValues(variables, (key, value) => inEnv(key, value, hide)),
    }),
    ...(isObject(headers) && {
      headers: hideValues(headers, (key, value) => inHeader(server, key, value, hide)),
    }),
    ...(Array.isArray(args) && { args: inArguments(server, args.map(String), hide) }),
    ...(typeof url === 'string' && { url: inUrl(server, url, hide) }),
  }
}

type Hide = (value: string, name: string) => string

interface SecretOwner {
  readonly server: string
  readonly env: Environment
  /** Whether others chose the names: then it is one that nothing else uses, such as `MCP_FILES_KEY`. */
  readonly isForeign?: boolean
}

/** Stores a value under the first name that is free or already has it; returns the name. */
export function storeSecret(
  secrets: Secrets,
  value: string,
  name: string,
  { server, env, isForeign = false }: SecretOwner,
): string {
  const own = isForeign ? variableName('mcp', server, name) : variableName(server, name)
  const wanted = isForeign ? own : variableName(name)
  const isFree = (candidate: string) =>
    [secrets.get(candidate), env[candidate]].every((known) => (known ?? value) === value)
  const isOwn = isForeign || wanted.startsWith(variableName(server))
  let found = isFree(wanted) || isOwn ? wanted : own
  for (let n = 2; !isFree(found); n++) found = `${isOwn ? wanted : own}_${n}`
  secrets.set(found, value)
  return found
}

function hideValues(
  record: JsonObject,
  hide: (key: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, hide(key, String(value))]),
  )
}

function isReference(value: string): boolean {
  return value === '' || /\$\{[^}]+\}/.test(value)
}

/** Whether a value has the shape of a secret: a known kind of key, or a URL with a password. */
function looksSecret(value: string): boolean {
  return hideByShape(value) !== value
}

function inEnv(key: string, value: string, hide: Hide): string {
  if (isReference(value) || !(isSecretName(key) || looksSecret(value))) return value
  return hide(value, key)
}

function inHeader(server: string, key: string, value: string, hide: Hide): string {
  const isSecret = SECRET_HEADER.test(key) || isSecretName(key) || looksSecret(value)
  if (isReference(value) || !isSecret) return value
  const [, scheme = '', rest = value] = /^((?:Bearer|Basic|Token)\s+)(.+)$/i.exec(value) ?? []
  return scheme + hide(rest, `${server}_${/^authorization$/i.test(key) ? 'token' : key}`)
}

function inArguments(server: string, args: readonly string[], hide: Hide): string[] {
  return args.map((arg, index) => {
    if (isReference(arg)) return arg
    const before = args[index - 1] ?? ''
    if (/^--?[a-z][^=]*$/i.test(before) && isSecretName(before))
      return arg.startsWith('-') ? arg : hide(arg, `${server}_${before}`)
    return inAssignment(server, arg, hide) ?? inText(server, arg, hide)
  })
}

/** Handles `--token=…`, and `NAME=…` as for docker and env; undefined if it is neither. */
function inAssignment(server: string, arg: string, hide: Hide): string | undefined {
  const [, name, value] = /^(-{0,2}[A-Za-z][\w-]*)=(.+)$/s.exec(arg) ?? []
  if (name === undefined || value === undefined || !isSecretName(name)) return undefined
  return `${name}=${hide(value, name.startsWith('-') ? `${server}_${name}` : name)}`
}

/** Handles a header as for `mcp-remote`, a URL, or a word with the shape of a secret. */
function inText(server: string, arg: string, hide: Hide): string {
  const [, header, said] = /^([\w-]+):\s*(.+)$/s.exec(arg) ?? []
  if (header !== undefined && said !== undefined && SECRET_HEADER.test(header))
    return `${header}: ${inHeader(server, header, said, hide)}`
  if (/^https?:\/\//i.test(arg)) return inUrl(server, arg, hide)
  return looksSecret(arg) ? hide(arg, `${server}_secret`) : arg
}

/** A long mix of letters and digits: some hosts put keys into a path or query like this. */
const KEY_LIKE = /^(?=.*\d)(?=.*[A-Za-z])[\w~.-]{24,}$/

/** Scheme, user and password, host, path, query and fragment, as they are written. */
const ADDRESS = /^([^:]*:[\\/]*)(?:([^\\/?#]*)@)?([^\\/?#]*)([^?#]*)(?:\?([^#]*))?(.*)$/s

/** Works on the text of the address, because `URL` encodes what it reads. */
function inUrl(server: string, address: string, hide: Hide): string {
  if (isReference(address)) return address
  const parts = URL.canParse(address) ? ADDRESS.exec(address) : null
  if (parts === null) return looksSecret(address) ? hide(address, `${server}_url`) : address
  const [, scheme = '', credentials, host = '', path = '', query, fragment = ''] = parts
  return [
    scheme,
    credentials === undefined ? '' : `${inCredentials(server, credentials, hide)}@`,
    host,
    path
      .split('/')
      .map((part) => (KEY_LIKE.test(decodeUri(part)) ? hide(part, `${server}_key`) : part))
      .join('/'),
    query === undefined ? '' : `?${inQuery(server, query, hide)}`,
    fragment,
  ].join('')
}

/** A user name without a password is a token. */
function inCredentials(server: string, credentials: string, hide: Hide): string {
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(credentials) ?? []
  if (password !== '') return `${user}:${hide(password, `${server}_password`)}`
  return user === '' ? credentials : hide(user, `${server}_token`)
}

function inQuery(server: string, query: string, hide: Hide): string {
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = [...new URLSearchParams(pair)][0] ?? []
    if (value === '' || !(isSecretName(name) || KEY_LIKE.test(value))) return pair
    const start = pair.indexOf('=') + 1
    return pair.slice(0, start) + hide(pair.slice(start), `${server}_${name}`)
  })
  return pairs.join('&')
}
