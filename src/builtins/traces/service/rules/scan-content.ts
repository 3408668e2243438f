import { findPersonalData } from './find-personal-data.ts'
import { find } from '../../../../base/secrets/secrets.ts'

export interface Findings {
  readonly secrets: readonly string[]
  readonly personalData: readonly string[]
}

/** Invisible characters; a secret split by them could still be read as one. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Scans every string of a value at any depth, including object keys. */
export function scanContent(value: unknown): Findings {
  const secrets = new Set<string>()
  const personalData = new Set<string>()
  for (const text of strings(value)) {
    const plain = text.normalize('NFKC').replaceAll(INVISIBLE, '')
    for (const type of find(plain)) secrets.add(type)
    for (const type of findPersonalData(plain)) personalData.add(type)
  }
  return { secrets: [...secrets].toSorted(), personalData: [...personalData].toSorted() }
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* strings(item)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      // Scanned together, so that `{"password": "…"}` is recognised as an assignment.
      if (typeof item === 'string') yield `${key}: ${JSON.stringify(item)}`
      else yield key
      yield* strings(item)
    }
}
