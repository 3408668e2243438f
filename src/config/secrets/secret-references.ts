import { isObject } from '../../base/json/json.ts'

/** The commands that print secrets, by the name in `${name:…}`; `{ref}` stands for the rest. */
export type SecretHelpers = Readonly<Record<string, readonly string[]>>

/** What Portolan knows of the vaults of others; settings add more, and may replace these. */
export function knownHelpers(platform = process.platform): SecretHelpers {
  const keychain = {
    darwin: ['security', 'find-generic-password', '-w', '-s', '{ref}'],
    linux: ['secret-tool', 'lookup', 'service', '{ref}'],
  }
  return {
    op: ['op', 'read', '--no-newline', 'op://{ref}'],
    ...(platform === 'darwin' && { keychain: keychain.darwin }),
    ...(platform === 'linux' && { keychain: keychain.linux }),
  }
}

const REFERENCE = /\$\{([A-Za-z][\w-]*):(?!-)([^}]+)\}/g
/** References of VS Code, which have no value here. */
const OF_EDITORS = new Set(['env', 'input', 'config', 'command'])

/** Whether what stands between `${` and `}` is a secret that a helper prints. */
export function isSecretReference(text: string): boolean {
  const [, name] = /^([A-Za-z][\w-]*):(?!-)./.exec(text) ?? []
  return name !== undefined && !OF_EDITORS.has(name)
}

/** `${op:vault/item}` in its parts. */
export interface SecretReference {
  readonly whole: string
  readonly helper: string
  readonly ref: string
}

/** Returns the references in all strings of a value, each once. */
export function secretReferencesIn(value: unknown): SecretReference[] {
  const found = new Map<string, SecretReference>()
  const walk = (node: unknown): void => {
    if (typeof node === 'string')
      for (const [whole, helper = '', ref = ''] of node.matchAll(REFERENCE))
        if (!OF_EDITORS.has(helper)) found.set(whole, { whole, helper, ref })
    if (Array.isArray(node)) node.forEach(walk)
    else if (isObject(node)) Object.values(node).forEach(walk)
  }
  walk(value)
  return [...found.values()]
}

/** Puts the values of references into all strings; a value is not searched for further references. */
export function fillSecrets<Value>(value: Value, secrets: ReadonlyMap<string, string>): Value
export function fillSecrets(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replaceAll(REFERENCE, (whole) => secrets.get(whole) ?? whole)
  if (Array.isArray(value)) return value.map((part) => fillSecrets(part, secrets))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fillSecrets(part, secrets)]),
  )
}
