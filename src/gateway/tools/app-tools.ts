import { isObject } from '../../base/json/json.ts'
import { metaOf } from '../../protocol/versions.ts'
import type { Tool } from '../upstream.ts'

/** Whether models may see and call a tool; the others are for the pages of their server. */
export function isForModels({ definition }: Tool): boolean {
  const { ui } = metaOf(definition)
  const visibility = isObject(ui) ? ui['visibility'] : undefined
  return !Array.isArray(visibility) || visibility.includes('model')
}

/** Whether a tool has a page that shows its results. */
export function hasPage({ definition }: Tool): boolean {
  const { ui, 'ui/resourceUri': flat } = metaOf(definition)
  return typeof (isObject(ui) ? (ui['resourceUri'] ?? flat) : flat) === 'string'
}
