import { type Soon, after } from '../../base/flow/soon.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ArgumentShape } from '../../protocol/service.ts'
import type { Authorized } from '../call.ts'

/**
 * Returns the arguments under the names that callers know, without those that no caller may give. A
 * caller may use the tool's own names, which other texts of the server mention.
 */
export function toShownArguments(shape: ArgumentShape, given: JsonObject): JsonObject {
  const { ownNames, hidden } = shape
  const shownNames = new Map(Object.entries(ownNames).map(([shown, own]) => [own, shown]))
  const isHidden = (name: string) => hidden.includes(name) && !Object.hasOwn(ownNames, name)
  const entries = Object.entries(given).flatMap(([name, value]) => {
    if (isHidden(name)) return []
    const shown = Object.hasOwn(ownNames, name) ? undefined : shownNames.get(name)
    if (shown === undefined) return [[name, value] as const]
    return Object.hasOwn(given, shown) ? [] : [[shown, value] as const]
  })
  return Object.fromEntries(entries)
}

/**
 * Returns what is sent: under the tool's own names, with the values that the configuration gives;
 * `fillKeys` fills the keys of the person into those that are fixed.
 */
export function toSentArguments(
  { ownNames, defaults, fixed, isPersonal }: ArgumentShape,
  shown: JsonObject,
  fillKeys: ((values: JsonObject) => Promise<JsonObject>) | undefined,
): Soon<JsonObject> {
  const entries = Object.entries(shown).map(([name, value]) => [
    Object.hasOwn(ownNames, name) ? ownNames[name] : name,
    value,
  ])
  const given: JsonObject = Object.fromEntries(entries)
  const missing = Object.entries(defaults).filter(([name]) => !Object.hasOwn(given, name))
  const whole = { ...given, ...Object.fromEntries(missing) }
  const always = isPersonal && fillKeys ? fillKeys(fixed) : fixed
  return after(always, (values) => ({ ...whole, ...values }))
}

type CalledTool = Pick<Authorized, 'tool' | 'upstream'>

/** Returns how the arguments of a tool become those that are sent, where they differ. */
export function shapeOf({ tool, upstream }: CalledTool): ArgumentShape | undefined {
  return tool && (tool.shape ?? upstream.inProcess?.rules?.(tool.name)?.shape)
}

/** Returns sent arguments as people and scripts may read them: without the keys of a person. */
export function withoutKeys(called: CalledTool, sent: unknown): unknown {
  const shape = shapeOf(called)
  return shape?.isPersonal && isObject(sent) ? { ...sent, ...shape.fixed } : sent
}
