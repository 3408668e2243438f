import { isObject } from '../../base/json/json.ts'

const USER_KEY = /\$\{user\.([A-Za-z_]\w*)\}/g

/** Whether the name between `${` and `}` stands for a key of the person who calls. */
export function isUserKey(reference: string): boolean {
  return /^user\.[A-Za-z_]\w*$/.test(reference)
}

/** Returns the personal keys that strings refer to, as in `${user.NAME}`. */
export function userKeysIn(strings: Readonly<Record<string, string>> = {}): string[] {
  const found = Object.values(strings).flatMap((text) =>
    [...text.matchAll(USER_KEY)].map(([, name = '']) => name),
  )
  return [...new Set(found)]
}

/** Fills the keys of one person into all strings of a value, and says which are missing. */
export function fillUserKeys(
  value: unknown,
  keys: Readonly<Record<string, string>>,
): { readonly value: unknown; readonly missing: readonly string[] } {
  const missing = new Set<string>()
  const fill = (text: string) =>
    text.replaceAll(USER_KEY, (whole, key: string) => {
      if (!keys[key]) missing.add(key)
      return keys[key] ?? whole
    })
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return fill(node)
    if (Array.isArray(node)) return node.map(walk)
    if (!isObject(node)) return node
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, walk(child)]))
  }
  return { value: walk(value), missing: [...missing] }
}

/** Substitutes the keys of one person in the strings. */
export function withUserKeys(
  strings: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(strings).map(([name, text]) => [
      name,
      text.replaceAll(USER_KEY, (whole, key: string) => keys[key] ?? whole),
    ]),
  )
}
