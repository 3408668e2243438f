import { parseJson, parseYaml } from '../../config/parse-text.ts'
import { FILE_KINDS, type FileKind } from '../../config/paths.ts'
import { formatPath } from '../../config/problem.ts'
import type { StoredVersion } from '../../config/stored.ts'
import { isObject } from '../../base/json/json.ts'
import { hide, isSecretName } from '../../base/secrets/secrets.ts'

const PARSERS: Readonly<Record<FileKind, (text: string) => unknown>> = {
  mcp: parseJson,
  rules: parseJson,
  settings: parseYaml,
}

const SCHEME = /^(bearer|basic|token)\s+/i
const MIN_LENGTH = 6

/** Returns the paths of values that look like literal secrets instead of `${VAR}` references. */
export function literalSecrets(texts: StoredVersion['texts']): string[] {
  return FILE_KINDS.flatMap((kind) => {
    const text = texts[kind]
    return text === undefined ? [] : inValue(PARSERS[kind](text), [])
  })
}

function inValue(value: unknown, path: readonly PropertyKey[]): string[] {
  if (typeof value === 'string') return isSecret(value, path) ? [formatPath(path)] : []
  if (Array.isArray(value)) {
    const found = value.flatMap((item, index) => inValue(item, [...path, index]))
    // `--api-key`, `abc`: neither looks like a secret by itself.
    const line = literal(value.filter((item) => typeof item === 'string').join(' '))
    return found.length === 0 && hide(line) !== line ? [formatPath(path)] : found
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => inValue(item, [...path, key]))
}

function isSecret(value: string, path: readonly PropertyKey[]): boolean {
  const written = literal(value)
  if (hide(written) !== written) return true
  const named = isSecretName(String(path.at(-1)))
  return named && written.replace(SCHEME, '').trim().length >= MIN_LENGTH
}

/** Returns a text without its variables; their defaults stay, because they are readable too. */
function literal(value: string): string {
  return value.replaceAll(/\$\{[^}:]*(?::-([^}]*))?\}/g, (_, fallback?: string) => fallback ?? '')
}
