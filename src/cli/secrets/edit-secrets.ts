import { join } from 'node:path'
import { didYouMean } from '../../base/text/nearest.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { loadSettings } from '../../config/load.ts'
import { FILE_NAMES, type Workspace, findFiles } from '../../config/paths.ts'
import { formatSecrets, linesWithout } from '../../config/secrets/secrets-file.ts'
import { readSecrets, secretsText, storeSecrets } from '../../config/secrets/stored-secrets.ts'
import type { Environment } from '../../base/environment.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { editServers, serversIn } from '../clients/servers-file.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'

const NAME = /^[A-Za-z_]\w*$/

/** Stores a value, replacing an earlier one; returns the file. */
export function setSecret(name: string, value: string, options: ConfigOptions): string {
  mustBeName(name)
  const { home, env } = placeOf(options)
  const others = linesWithout(secretsText(home, env) ?? '', [name])
  return storeSecrets(home, env, others + formatSecrets(new Map([[name, value]])))
}

export function listSecrets(options: ConfigOptions): string[] {
  const { home, env } = placeOf(options)
  return Object.keys(readSecrets(home, env)).toSorted()
}

export function removeSecret(name: string, options: ConfigOptions): string {
  const { home, env } = placeOf(options)
  const names = Object.keys(readSecrets(home, env))
  if (!names.includes(name))
    throw new GatewayError('INVALID_PARAMS', `There is no secret '${name}'`, {
      hint: didYouMean(name, names) ?? '`portolan secrets list` shows the names.',
    })
  return storeSecrets(home, env, linesWithout(secretsText(home, env) ?? '', [name]))
}

function placeOf(options: ConfigOptions): { home: string; env: Environment } {
  const load = toLoadOptions(options)
  return { home: loadSettings(load).home, env: load.env ?? process.env }
}

/** Adds `"NAME": "${NAME}"` to the environment of a server in its file; returns the file. */
export function giveToServer(name: string, server: string, options: ConfigOptions): string {
  mustBeName(name)
  const { cwd = process.cwd(), env = process.env, flags } = toLoadOptions(options)
  const place = { cwd, env }
  const path = fileOf(server, place, flags?.mcp)
  const { env: given } = entryOf(server, path)
  const reference = `\${${name}}`
  if (isObject(given) && given[name] === reference) return path
  const at = ['mcpServers', server, 'env']
  const edit = isObject(given)
    ? { path: [...at, name], value: reference }
    : { path: at, value: { [name]: reference } }
  editServers(path, place, [edit])
  return path
}

/** Returns the strongest file that has the server, or else the strongest file, or `.mcp.json`. */
function fileOf(server: string, place: Workspace, flag: string | undefined): string {
  const files = findFiles('mcp', place, flag).map(({ path }) => path)
  const strongest = files.toReversed()
  return (
    strongest.find((file) => isObject(serversIn(file)[server])) ??
    strongest[0] ??
    join(place.cwd, FILE_NAMES.mcp)
  )
}

function entryOf(server: string, file: string): JsonObject {
  const servers = serversIn(file)
  const entry = servers[server]
  if (isObject(entry)) return entry
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server '${server}' in ${file}`, {
    hint: didYouMean(server, Object.keys(servers)) ?? 'Leave out --for to store the value alone.',
  })
}

export function mustBeName(name: string): void {
  if (NAME.test(name)) return
  throw new GatewayError('INVALID_PARAMS', `'${name}' cannot be the name of a variable`, {
    hint: 'Use letters, digits and underscores, such as SENTRY_ACCESS_TOKEN.',
  })
}
