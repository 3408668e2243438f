import type { Environment } from '../../base/environment.ts'
import { isObject } from '../../base/json/json.ts'
import { isSecretReference } from './secret-references.ts'
import { isUserKey } from './user-keys.ts'

export interface SubstitutedText {
  readonly value: unknown
  /** Names that were referenced without a default and are not set. */
  readonly missing: readonly string[]
}

const REFERENCE = /\$\{([^}]+)\}/g

/** Substitutes `${VAR}` and `${VAR:-default}` in every string value, but not in keys. */
export function substitute(value: unknown, env: Environment): SubstitutedText {
  const missing = new Set<string>()

  function fill(text: string): string {
    return text.replaceAll(REFERENCE, (whole, reference: string) => {
      if (isFilledLater(reference)) return whole
      const separator = reference.indexOf(':-')
      const name = separator === -1 ? reference : reference.slice(0, separator)
      const found = env[name]
      // As in a shell, `:-` replaces an empty value too.
      if (separator !== -1)
        return found === undefined || found === '' ? reference.slice(separator + 2) : found
      if (found === undefined) missing.add(name)
      return found ?? whole
    })
  }

  function walk(node: unknown): unknown {
    if (typeof node === 'string') return fill(node)
    if (Array.isArray(node)) return node.map(walk)
    if (isObject(node)) {
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child)]))
    }
    return node
  }

  return { value: walk(value), missing: [...missing] }
}

/** Whether a reference gets its value only when its server starts. */
function isFilledLater(reference: string): boolean {
  return isUserKey(reference) || isSecretReference(reference)
}

/** Returns the names of the variables that a text refers to. */
export function variablesIn(text: string): string[] {
  const references = [...text.matchAll(REFERENCE)].map(([, reference = '']) => reference)
  const names = references.filter((each) => !isFilledLater(each)).map((each) => each.split(':-')[0])
  return [...new Set(names)].flatMap((name) => name ?? [])
}
