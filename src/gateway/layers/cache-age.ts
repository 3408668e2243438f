import { isObject } from '../../base/json/json.ts'
import type { CallResult } from '../call.ts'

/** In `_meta` of a result from the cache: when it was made, and how many seconds ago that was. */
const CACHE_META = 'portolan/cache'

/** Returns the result as it is stored, with the time when it was made (milliseconds). */
export function dated(result: CallResult, madeAt: number): CallResult {
  return withMeta(result, { as_of: new Date(madeAt).toISOString() })
}

/** Returns a stored result as an agent gets it, with its age if it has a date. */
export function aged(result: CallResult): CallResult {
  const meta = isObject(result['_meta']) ? result['_meta'][CACHE_META] : undefined
  if (!isObject(meta) || typeof meta['as_of'] !== 'string') return result
  const ageMs = Math.max(0, Date.now() - Date.parse(meta['as_of']))
  return withMeta(result, { as_of: meta['as_of'], age_seconds: Math.round(ageMs / 1000) })
}

function withMeta(result: CallResult, cached: CallResult): CallResult {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  return { ...result, _meta: { ...meta, [CACHE_META]: cached } }
}
