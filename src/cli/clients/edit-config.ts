import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { editJson } from '../../base/json/edit-json.ts'
import type { ClientConfig } from './client.ts'
import { editToml } from './edit-toml.ts'
import { editYaml } from './edit-yaml.ts'
import { parseConfig } from './parse-config.ts'
import { valueAt } from './read-client-configs.ts'

/** Sets one value of a file, or removes it if `value` is undefined. */
export interface Edit {
  readonly path: readonly string[]
  readonly value: unknown
}

type ConfigFile = Pick<ClientConfig, 'file' | 'format'>

const EDITORS = { json: editJson, toml: editToml, yaml: editYaml }

/** Changes some values in the text of a file; keeps comments, layout and everything else. */
export function editConfig(text: string, config: ConfigFile, edits: readonly Edit[]): string {
  const edited = edits.reduce((before, { path, value }) => {
    const after = EDITORS[config.format](before, path, value)
    if (isOnlyThat(before, after, config, { path, value })) return after
    throw notEditable(config, path)
  }, text)
  return edited
}

/** Returns the edits that undo `edits`, last first. */
export function inverseOf(text: string, config: ConfigFile, edits: readonly Edit[]): Edit[] {
  const content = parseConfig(text, config)
  return edits.map(({ path }) => ({ path, value: plain(valueAt(content, path)) })).toReversed()
}

/** Parses both texts to verify that only this value has changed. */
function isOnlyThat(before: string, after: string, config: ConfigFile, { path, value }: Edit) {
  try {
    const [was, is] = [parseConfig(before, config), parseConfig(after, config)]
    return (
      isDeepStrictEqual(plain(valueAt(is, path)), plain(value)) &&
      isDeepStrictEqual(without(was, path), without(is, path))
    )
  } catch {
    return false
  }
}

/** Returns a copy without one value, and without the objects this leaves empty. */
function without(content: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: inner, ...others } = content
  if (rest.length === 0 || !isObject(inner)) return plain(others)
  const kept = without({ ...inner }, rest)
  return plain(Object.keys(kept).length === 0 ? others : { ...others, [key]: kept })
}

/** Copies a value, as TOML tables have no prototype and would equal nothing. */
function plain<Value>(value: Value): Value {
  return value === undefined ? value : structuredClone(value)
}

function notEditable({ file }: ConfigFile, path: readonly string[]): GatewayError {
  return new GatewayError('INVALID_PARAMS', `${file} is written in a way we cannot edit`, {
    hint: `Change "${path.at(-1)}" under ${path.slice(0, -1).join('.')} by hand: \`portolan connect <client> --print\` shows what Portolan's entry looks like.`,
  })
}
