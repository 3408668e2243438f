import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../gateway/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ClientConfig } from '../shared/clients/client.ts'
import { parseConfig } from '../shared/clients/parse-config.ts'
import { valueAt } from '../shared/clients/read-client-configs.ts'
import { editJson } from '../shared/edit-json.ts'
import { editToml } from './edit-toml.ts'

/** The name under which clients know us. */
export const NAME = 'portolan'

/** The text of a client's file with our entry in it, or without it; nothing else in it changes. */
export function editClientConfig(
  text: string,
  clientConfig: ClientConfig,
  entry: JsonObject | undefined,
): string {
  const edited =
    clientConfig.format === 'toml'
      ? editToml(text, [clientConfig.keys[0] ?? '', NAME], entry)
      : editJson(text, [...clientConfig.keys, NAME], entry)
  if (isOnlyOurs(text, edited, clientConfig, entry)) return edited
  throw new GatewayError(
    'INVALID_PARAMS',
    `${clientConfig.file} is written in a way we cannot edit`,
    {
      hint: `Change "${NAME}" under ${clientConfig.keys.join('.')} by hand: --print shows what belongs there.`,
    },
  )
}

export function entryIn(text: string, clientConfig: ClientConfig): unknown {
  return valueAt(parseConfig(text, clientConfig), [...clientConfig.keys, NAME])
}

/** Reads both texts again: what we meant must be what they say. */
function isOnlyOurs(
  before: string,
  after: string,
  clientConfig: ClientConfig,
  entry: unknown,
): boolean {
  try {
    const strip = (text: string) =>
      without(parseConfig(text, clientConfig), [...clientConfig.keys, NAME])
    const found = entryIn(after, clientConfig)
    return isDeepStrictEqual(plain(found), entry) && isDeepStrictEqual(strip(before), strip(after))
  } catch {
    return false
  }
}

/** A copy without our entry, and without the empty places that only it needed. */
function without(value: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: inner, ...others } = value
  if (rest.length === 0 || typeof inner !== 'object' || inner === null) return plain(others)
  const kept = without({ ...inner }, rest)
  return plain(Object.keys(kept).length === 0 ? others : { ...others, [key]: kept })
}

/** TOML tables have no prototype; only their content counts. */
function plain<Value>(value: Value): Value {
  return value === undefined ? value : structuredClone(value)
}
