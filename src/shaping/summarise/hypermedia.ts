import type { JsonObject } from '../../base/json/json.ts'

/** A link or a second identity that only a REST client needs, where the thing is named otherwise. */
export function isHypermedia(key: string, object: JsonObject): boolean {
  if (key === '_links' || key === '_embedded_links') return true
  if (key === 'node_id' || key === 'gravatar_id') return hasIdentity(object)
  if (key === 'url') return typeof object['html_url'] === 'string'
  return key.endsWith('_url') && key !== 'html_url' && isUrl(object[key]) && hasIdentity(object)
}

function hasIdentity(object: JsonObject): boolean {
  return ['id', 'html_url', 'number', 'sha', 'name', 'key'].some((name) => object[name] != null)
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^(?:https?:|git:|git@|\/)/.test(value)
}
