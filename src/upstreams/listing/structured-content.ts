import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'

/** Whether a tool's output may be any value, or is a value that is wrapped in an object. */
type Output = 'any' | 'wrapped'

const outputs = new WeakMap<Listing, ReadonlyMap<string, Output>>()

/**
 * Returns a result whose structured content is in the form that was listed. A server of both eras
 * answers with any value to modern clients, and wraps a value that is no object as `{ result }` for
 * legacy ones; it was listed over a connection of one era, and may be called over the other.
 */
export function inListedForm(
  result: JsonObject,
  name: unknown,
  { listing, era }: { readonly listing: Listing; readonly era: EraName },
): JsonObject {
  const { structuredContent: value } = result
  if (value === undefined) return result
  const output = outputsOf(listing).get(String(name))
  if (output === undefined) return result
  const hasResult = isObject(value) && Object.hasOwn(value, 'result')
  if (output === 'wrapped')
    return !ERAS[era].wrapsValues && !hasResult
      ? { ...result, structuredContent: { result: value } }
      : result
  const isWrapped = ERAS[era].wrapsValues && hasResult && Object.keys(value).length === 1
  return isWrapped ? { ...result, structuredContent: value['result'] } : result
}

/** Returns the tools whose output differs between the eras: few, mostly none. */
function outputsOf(listing: Listing): ReadonlyMap<string, Output> {
  const known = outputs.get(listing)
  if (known) return known
  const made = new Map(
    listing.tools.flatMap(({ name, definition }) => {
      const output = outputOf(definition['outputSchema'])
      return output ? [[name, output] as const] : []
    }),
  )
  outputs.set(listing, made)
  return made
}

function outputOf(schema: unknown): Output | undefined {
  if (!isObject(schema)) return undefined
  const { type, properties, required } = schema
  if (type !== 'object') return 'any'
  const isWrapper =
    isObject(properties) &&
    Object.keys(properties).join() === 'result' &&
    String(required) === 'result'
  return isWrapper ? 'wrapped' : undefined
}
