import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { leaves } from '../../config/settings/schema-tree.ts'
import { type Settings, settingsSchema } from '../../config/settings/settings.ts'
import { isObject } from '../../base/json/json.ts'
import { hideFields } from '../../base/secrets/hide-fields.ts'
import type { Setting } from '../contract/config.ts'

/** Every setting in effect, in the order of the reference. */
export function describeSettings(settings: Settings): Setting[] {
  const defaults = settingsSchema.parse({})
  return leaves(settingsSchema).map(({ path, schema }) => {
    const value = valueAt(settings, path)
    return {
      path: path.join('.'),
      value: hideFields(value ?? null, path.at(-1)),
      isDefault: isSame(value, valueAt(defaults, path)),
      description: z.globalRegistry.get(schema)?.description ?? null,
    }
  })
}

function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), settings)
}

/** A default that begins at the home folder is written with `~` in the schema. */
function isSame(value: unknown, fallback: unknown): boolean {
  if (typeof value === 'string' && typeof fallback === 'string' && fallback.startsWith('~/'))
    return value.endsWith(fallback.slice(1))
  return isDeepStrictEqual(value, fallback)
}
