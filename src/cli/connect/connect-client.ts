import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { loadSettings } from '../../config/load.ts'
import { FILE_NAMES } from '../../config/paths.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import {
  type McpClient,
  type Scope,
  type ClientConfig,
  type Endpoint,
  portolanEntry,
} from '../clients/client.ts'
import type { Machine } from '../clients/machine.ts'
import { installHooks, uninstallHooks } from '../traces/hooks/install-hooks.ts'
import { SLASH_COMMANDS, type SlashCommand, isOurs } from '../traces/hooks/slash-commands.ts'
import { trustWritten } from '../../config/trust/record-trust.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { textOf } from '../../config/text-of.ts'
import { editConfig } from '../clients/edit-config.ts'
import { readConfig, valueAt } from '../clients/read-client-configs.ts'
import { Journal } from '../clients/journal.ts'
import type { UndoneFile } from './undo.ts'
import { shellCommand } from '../clients/launch.ts'

/** The name of Portolan in the configuration of clients. */
export const NAME = 'portolan'

export interface Connection {
  readonly client: McpClient
  readonly scope: Scope
  readonly machine: Machine
}

export interface Connected {
  readonly file: string
  readonly entry: JsonObject
  readonly outcome: 'connected' | 'changed' | 'already' | 'printed'
  /** The settings file whose hooks were installed. */
  readonly hooks: string | undefined
}

/** Writes Portolan's entry to a client's file; the journal keeps the original for `disconnect`. */
export async function connect(
  connection: Connection,
  endpoint: Endpoint,
  { print, hooks }: { print: boolean; hooks: boolean },
): Promise<Connected> {
  const { client, machine } = connection
  const clientConfig = clientConfigOf(connection)
  const entry = portolanEntry(client, endpoint)
  if (typeof entry === 'string') throw new GatewayError('INVALID_PARAMS', entry)
  const journal = journalOf(machine)
  const current = entryIn(clientConfig)
  const outcome = print ? 'printed' : outcomeOf(current, entry)
  if (outcome === 'connected' || outcome === 'changed') {
    journal.edit(clientConfig, [{ path: [...clientConfig.keys, NAME], value: entry }])
  }
  const settings = hooks && !print ? hooksFile(machine) : undefined
  if (settings !== undefined) await addHooks(machine, journal)
  return {
    file: clientConfig.file,
    entry,
    outcome,
    hooks: settings,
  }
}

/** Compares a copy, because TOML tables have no prototype and would equal nothing. */
function outcomeOf(current: unknown, entry: JsonObject): Connected['outcome'] {
  if (current === undefined) return 'connected'
  return isDeepStrictEqual(structuredClone(current), entry) ? 'already' : 'changed'
}

/** Undoes `connect`, byte for byte if nothing else has changed the file since. */
export async function disconnect(connection: Connection): Promise<UndoneFile[]> {
  const { client, machine } = connection
  const journal = journalOf(machine)
  const clientConfig = clientConfigOf(connection)
  const done: UndoneFile[] = []
  const undo = async (file: string, otherwise?: () => Promise<void> | void) => {
    done.push(await undoFile(journal, file, otherwise))
  }
  if (journal.has(clientConfig.file) || entryIn(clientConfig) !== undefined)
    await undo(
      clientConfig.file,
      journal.has(clientConfig.file) ? undefined : () => takeOut(clientConfig),
    )
  else done.push({ file: clientConfig.file, outcome: 'not connected' })
  if (client.id !== 'claude-code') return done
  for (const [file, remove] of takeOuts(machine)) if (journal.has(file)) await undo(file, remove)
  return done
}

/** Returns how to remove our part from files of Claude Code whose values the journal lacks. */
export function takeOuts(machine: Machine): Map<string, () => Promise<void> | void> {
  const settings = hooksFile(machine)
  const found = new Map<string, () => Promise<void> | void>()
  found.set(settings, async () => uninstallHooks(settings))
  for (const { file } of commandFiles(machine))
    found.set(file, () => void (isOurs(textOf(file)) && rmSync(file)))
  return found
}

/** Installs the hooks and the slash commands that belong to them. */
async function addHooks(machine: Machine, journal: Journal): Promise<void> {
  const settings = hooksFile(machine)
  const home = machine.env['PORTOLAN_HOME']
  await journal.change(settings, async () =>
    installHooks(settings, { command: shellCommand(machine), home }),
  )
  for (const { file, text } of commandFiles(machine))
    if (!existsSync(file) || isOurs(textOf(file)))
      await journal.change(file, () => replaceFile(file, text))
}

function commandFiles(machine: Machine): readonly SlashCommand[] {
  const folder = join(dirname(hooksFile(machine)), 'commands')
  return SLASH_COMMANDS.map(({ file, text }) => ({ file: join(folder, file), text }))
}

/** Returns where the entry goes: the first file whose folder exists, else the first file. */
export function clientConfigOf({ client, scope, machine }: Connection): ClientConfig {
  const configFiles = client
    .configFiles(machine)
    .filter((clientConfig) => clientConfig.writable && clientConfig.scope === scope)
  const found = configFiles.find(({ file }) => existsSync(dirname(file))) ?? configFiles[0]
  if (found) return found
  throw new GatewayError('INVALID_PARAMS', `${client.name} has no configuration per project`, {
    hint: 'Connect it without --project.',
  })
}

export function isConnected(connection: Connection): boolean {
  const clientConfig = clientConfigOf(connection)
  return entryIn(clientConfig) !== undefined
}

function entryIn(clientConfig: ClientConfig): unknown {
  return valueAt(readConfig(clientConfig), [...clientConfig.keys, NAME])
}

/** Removes an entry that the journal does not record. */
function takeOut(clientConfig: ClientConfig): void {
  const path = [...clientConfig.keys, NAME]
  const edited = editConfig(textOf(clientConfig.file), clientConfig, [{ path, value: undefined }])
  replaceFile(clientConfig.file, edited)
}

/** Restores one file; if others have edited it since, its original remains in the journal. */
export async function undoFile(
  journal: Journal,
  file: string,
  otherwise?: () => Promise<void> | void,
): Promise<UndoneFile> {
  const outcome = await journal.undo(file, otherwise)
  return { file, outcome, hasOriginal: outcome === 'edited' && journal.hasOriginal(file) }
}

export function journalOf(machine: Machine): Journal {
  const { cwd, env } = machine
  return new Journal({ cwd, env, home: loadSettings(machine).home }, (file, text) => {
    // Portolan reads Claude Code's project file too, so it must trust the file it wrote.
    if (basename(file) === FILE_NAMES.mcp) trustWritten(machine, file, text)
  })
}

function hooksFile({ home, env }: Machine): string {
  return join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json')
}
