import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { FILE_KINDS, FILE_NAMES, type Workspace, filesInFolder } from '../../config/paths.ts'
import { type NamedFiles, namedFilesIn } from '../../config/trust/named-files.ts'
import { readTrustList, verdictOn } from '../../config/trust/trust-list.ts'
import { BUILTINS } from '../../builtins/index.ts'
import { GatewayError } from '../../gateway/errors.ts'
import {
  type FolderPack,
  readFolderPack,
  readFolderPacks,
} from '../../upstreams/openapi/load/folder-packs.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { describeContent } from './describe-file.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { recordTrust, revokeTrust } from '../../config/trust/record-trust.ts'
import { findDotEnv } from '../shared/serve/take-over.ts'

interface Output {
  readonly json?: true
}

const here = (): Workspace => ({ cwd: process.cwd(), env: process.env })

/** Trusts the current content of a folder's files and API packs, and shows it. */
export async function trustFolder(folder: string, { json }: Output): Promise<void> {
  const path = resolve(folder)
  const configFiles = FILE_KINDS.flatMap((kind) =>
    filesInFolder(kind, path).map((file) => {
      const text = readFoundFile(file) ?? cannotTrust(file)
      return { kind, path: file, text, shown: text }
    }),
  )
  const packs = (await readFolderPacks(path)).map(toDecision)
  const files = [...configFiles, ...packs, ...(await dotEnvIn(path))]
  if (files.length === 0)
    throw new GatewayError('INVALID_PARAMS', `There is nothing to trust in ${path}`, {
      hint: `It has none of ${Object.values(FILE_NAMES).join(', ')}, and no pack in apis/.`,
    })
  await changeFiles(here(), { reason: `trust ${folder}` }, () =>
    recordTrust(here(), files, 'trusted'),
  )
  if (json) return printJson({ trusted: files.map((file) => file.path) })
  const { line, paint } = createTerminal()
  for (const file of files) {
    line(
      `${paint('green', '✓')} ${file.path} is trusted; any change needs \`portolan trust\` again:`,
    )
    for (const said of describeContent(file.kind, file.shown)) line(`    ${said}`)
  }
  line(`Undo: portolan trust --revoke ${shellWord(path)}`)
}

/** Returns the `.env` of a folder if it sets what `traces mcp` would read there. */
async function dotEnvIn(folder: string) {
  const systems = BUILTINS.flatMap(({ standalone }) => standalone?.replaces ?? [])
  const names = await Promise.all(
    systems.filter(({ readsDotEnv }) => readsDotEnv).map(async (one) => one.names(process.env)),
  )
  const file = findDotEnv(folder, names.flat())
  if (!file) return []
  const { path, text, values } = file
  return [{ kind: 'env', path, text, shown: JSON.stringify(values) } as const]
}

/** Returns a pack as something to decide about, of which a person reads the `pack.yaml`. */
export function toDecision({ path, text, rules }: FolderPack) {
  return { kind: 'pack', path, text, shown: rules } as const
}

function cannotTrust(path: string): never {
  throw new GatewayError('INVALID_PARAMS', `${path} is not a plain file, or is huge`, {
    hint: 'Look at what it is, and remove it.',
  })
}

export async function revoke(folder: string, { json }: Output): Promise<void> {
  const path = resolve(folder)
  const revoked = await changeFiles(here(), { reason: `trust --revoke ${folder}` }, () =>
    revokeTrust(here(), path),
  )
  if (json) return printJson({ revoked })
  const { line } = createTerminal()
  if (revoked.length === 0) line(`Nothing in ${path} was trusted.`)
  for (const file of revoked) line(`${file} is no longer trusted.`)
}

export async function listTrust({ json }: Output): Promise<void> {
  const entries = readTrustList(here())
  const paths = [...new Set(entries.map(({ path }) => path))].toSorted()
  const rows = await Promise.all(
    paths.map(async (path) => {
      const verdict = existsSync(path)
        ? verdictOn(path, await textAt(path), entries)
        : ('gone' as const)
      const entry = entries.findLast((one) => one.path === path)
      const changed = verdict === 'trusted' ? changedFiles(path, entry?.names) : []
      const at = entry?.at
      return [path, ...changed].map((file) => ({
        path: file,
        state: file === path ? verdict : ('changed' as const),
        at,
      }))
    }),
  ).then((all) => all.flat())
  if (json) return printJson(rows)
  const { line, table, paint } = createTerminal()
  if (rows.length === 0)
    line('No file is trusted. portolan trust <folder> trusts those of a folder.')
  table(rows.map(({ path, state }) => [paint(COLOURS[state], STATES[state]), path]))
}

/** Returns the files that a servers file names and that are not as they were when it was trusted. */
function changedFiles(path: string, names: NamedFiles = {}): string[] {
  const now = namedFilesIn(path, readFoundFile(path) ?? '', here())
  return Object.keys(names).filter((file) => now[file] !== names[file])
}

/** Returns the text that stands for a file or an API pack; none if it cannot be used. */
async function textAt(path: string): Promise<string> {
  if (!statSync(path).isDirectory()) return readFoundFile(path) ?? ''
  const pack = await readFolderPack(resolve(path, '../..'), basename(path)).catch(() => undefined)
  return pack?.text ?? ''
}

const STATES = {
  trusted: 'trusted',
  changed: 'changed since it was trusted',
  declined: 'declined',
  unknown: 'declined',
  gone: 'gone',
} as const

const COLOURS = {
  trusted: 'green',
  changed: 'yellow',
  declined: 'gray',
  unknown: 'gray',
  gone: 'gray',
} as const
