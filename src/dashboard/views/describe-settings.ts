import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { leaves } from '../../config/settings/schema-tree.ts'
import { type Settings, settingsSchema } from '../../config/settings/settings.ts'
import { isObject } from '../../base/json/json.ts'
import { HIDDEN, hide, isSecretName } from '../../base/secrets/secrets.ts'
import type { Setting } from '../contract/config.ts'

/** Every setting in effect, in the order of the reference. */
export function describeSettings(settings: Settings): Setting[] {
  const defaults = settingsSchema.parse({})
  return leaves(settingsSchema).map(({ path, schema }) => {
    const value = valueAt(settings, path)
    return {
      path: path.join('.'),
      value: withoutSecret(path.at(-1) ?? '', value),
      isDefault: isSame(value, valueAt(defaults, path)),
      description: z.globalRegistry.get(schema)?.description ?? null,
    }
  })
}

function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), settings)
}

function withoutSecret(name: string, value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'string' && isSecretName(name)) return HIDDEN
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((part) => withoutSecret(name, part))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutSecret(key, part)]),
  )
}

/** A default that begins at the home folder is written with `~` in the schema. */
function isSame(value: unknown, fallback: unknown): boolean {
  if (typeof value === 'string' && typeof fallback === 'string' && fallback.startsWith('~/'))
    return value.endsWith(fallback.slice(1))
  return isDeepStrictEqual(value, fallback)
}
