import { type JsonObject, isObject } from '../../base/json/json.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { HIDDEN, hide, secretsIn } from '../../base/secrets/secrets.ts'

/** A text that a tape has in place of another. */
export interface Replacement {
  readonly from: string
  readonly to: string
}

/** What base64 may encode: too short a run says nothing, and is part of ordinary words. */
const ENCODED = /[\w+/-]{16,}={0,2}/g

/**
 * Hides secrets in all that a tape holds, and replaces what its rules name. A secret that is recognised
 * once, by its look or by the name of its field, is hidden wherever else it is, in base64 too.
 */
export class CleanValues {
  readonly #configured: Pick<SecretValues, 'hide'>
  /** Apart from those of the configuration, which servers must not push out. */
  readonly #found = new SecretValues()
  readonly #replacements: readonly Replacement[]
  /** How many secrets it has recognised by now. */
  recognised = 0

  constructor(configured: Pick<SecretValues, 'hide'>, replacements: readonly Replacement[] = []) {
    this.#configured = configured
    this.#replacements = replacements
  }

  /** Returns a copy of a JSON value without secrets and with all that is replaced. */
  clean<Value>(value: Value): Value
  clean(value: unknown): unknown {
    this.#recognise(value, '')
    return this.#copy(value, '')
  }

  /** Does the same for a value that was cleaned before some of its secrets were recognised. */
  cleanAgain(value: JsonObject): JsonObject {
    return new CleanValues({ hide: (text) => this.#hide(text) }).clean(value)
  }

  /** Remembers the secrets in a value, so that none of them stays where it is not recognised. */
  #recognise(value: unknown, name: string): void {
    if (typeof value === 'string') {
      const secrets = isNamedSecret(name, value) ? [value] : secretsIn(value)
      if (secrets.length === 0) return
      this.recognised += secrets.length
      this.#found.learn(secrets)
    } else if (Array.isArray(value)) for (const part of value) this.#recognise(part, name)
    else if (isObject(value))
      for (const [key, part] of Object.entries(value)) this.#recognise(part, key)
  }

  #copy(value: unknown, name: string): unknown {
    if (typeof value === 'string') return this.#text(value, name)
    if (Array.isArray(value)) return value.map((part) => this.#copy(part, name))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [this.#text(key, ''), this.#copy(part, key)]),
    )
  }

  #text(text: string, name: string): string {
    if (isNamedSecret(name, text)) return HIDDEN
    let clean = this.#hide(text)
    if (clean.length >= 16) clean = clean.replace(ENCODED, hideEncoded)
    for (const { from, to } of this.#replacements) clean = clean.replaceAll(from, to)
    return clean
  }

  #hide(text: string): string {
    return this.#found.hideValues(this.#configured.hide(text))
  }
}

/** Whether a field with this name holds a secret: `password`, but not `passwords: true`. */
function isNamedSecret(name: string, value: string): boolean {
  return name !== '' && hide(`${name}="${value}"`).startsWith(`${name}="${HIDDEN}`)
}

/** Hides what looks like a secret in text that is encoded in base64. */
function hideEncoded(encoded: string): string {
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  // Bytes that are no text, such as those of a picture.
  if (text.includes('\uFFFD')) return encoded
  const clean = hide(text)
  return clean === text ? encoded : Buffer.from(clean).toString('base64')
}
