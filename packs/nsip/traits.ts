import type { JsonObject } from 'portolan'
import { object } from './values.ts'

/** Every trait that NSIP publishes, with its unit. Other traits are kept too. */
export const TRAIT_UNITS: Readonly<Record<string, string>> = {
  BWT: 'kg',
  WWT: 'kg',
  MWWT: 'kg',
  PWWT: 'kg',
  YWT: 'kg',
  HWT: 'kg',
  PWT: 'kg',
  FAT: 'mm',
  PFAT: 'mm',
  YFAT: 'mm',
  EMD: 'mm',
  PEMD: 'mm',
  YEMD: 'mm',
  NLB: 'lambs',
  NLW: 'lambs',
  NWT: 'lambs',
  WGR: '%',
  GFW: '%',
  YGFW: '%',
  CFW: '%',
  FD: 'micron',
  YFD: 'micron',
  SL: 'mm',
  YSL: 'mm',
  SC: 'cm',
  PSC: 'cm',
  DAG: 'score',
  WEC: '%',
  FEC: '%',
  WFEC: '%',
  PFEC: '%',
  YFEC: '%',
}

export interface Trait {
  readonly value: number
  /** Percent; null where the API gives none. */
  readonly accuracy: number | null
}

/** Breeding values of a record, from either dialect. */
export function readTraits(record: JsonObject): Record<string, Trait> {
  const legacy = Object.entries(object(record['Traits'] ?? record['traits']))
  if (legacy.length > 0) return Object.fromEntries(legacy.flatMap(fromLegacy))
  const byLowerName = new Map(
    Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]),
  )
  const traits: Record<string, Trait> = {}
  for (const [key, raw] of byLowerName) {
    const value = toNumber(raw)
    const isTrait = byLowerName.has(`acc${key}`) || TRAIT_UNITS[key.toUpperCase()] !== undefined
    if (value === null || !isTrait) continue
    traits[key.toUpperCase()] = { value, accuracy: toPercent(byLowerName.get(`acc${key}`)) }
  }
  return traits
}

function fromLegacy([name, raw]: [string, unknown]): [string, Trait][] {
  const trait = object(raw)
  const value = toNumber(trait['Value'] ?? trait['value'] ?? raw)
  const accuracy = toPercent(trait['Accuracy'] ?? trait['accuracy'])
  return value === null ? [] : [[name.toUpperCase(), { value, accuracy }]]
}

/** Converts an accuracy (0.74 or 74, by dialect) to percent; zero means that it is unknown. */
function toPercent(raw: unknown): number | null {
  const accuracy = toNumber(raw)
  if (accuracy === null || accuracy === 0) return null
  return Math.round(accuracy <= 1 ? accuracy * 100 : accuracy)
}

export function toNumber(raw: unknown): number | null {
  if (typeof raw === 'number') return Number.isFinite(raw) ? raw : null
  if (typeof raw !== 'string' || raw.trim() === '') return null
  const value = Number(raw.replaceAll(',', ''))
  return Number.isFinite(value) ? value : null
}

/** Selection indexes by name, such as `US Hair` or `SRC$`. */
export function readIndexes(record: JsonObject): Record<string, number> {
  const indexes: Record<string, number> = {}
  for (const [key, raw] of Object.entries(record)) {
    const value = /index/i.test(key) && !/^acc/i.test(key) ? toNumber(raw) : null
    if (value !== null) indexes[key.replace(/_?index$/i, '')] = value
  }
  return indexes
}
