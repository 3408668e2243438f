import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { FILE_KINDS, FILE_NAMES, type Workspace, filesInFolder } from '../../config/paths.ts'
import { type NamedFiles, namedFilesIn } from '../../config/trust/named-files.ts'
import { readTrust, verdictOn } from '../../config/trust/trust-list.ts'
import { BUILTINS } from '../../builtins/index.ts'
import { GatewayError } from '../../gateway/errors.ts'
import {
  type FolderPack,
  readFolderPack,
  readFolderPacks,
} from '../../upstreams/openapi/load/folder-packs.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { withReport } from '../shared/report/report-running.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { describeContent } from '../../config/trust/describe-content.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { isOnlyOurs } from '../../config/trust/own-folders.ts'
import { recordOwnFolder, recordTrust, revokeTrust } from '../../config/trust/record-trust.ts'
import { findDotEnv } from '../shared/serve/take-over.ts'

interface Output {
  readonly json?: true
}

const here = (): Workspace => ({ cwd: process.cwd(), env: process.env })

interface TrustFlags extends Output {
  /** Whether what the person saves there later is trusted too. */
  readonly isOwn: boolean
}

/** Trusts the current content of a folder's files and API packs, and shows it. */
export async function trustFolder(folder: string, { json, isOwn }: TrustFlags): Promise<void> {
  const path = resolve(folder)
  if (isOwn) mustBeOurs(path)
  const configFiles = FILE_KINDS.flatMap((kind) =>
    filesInFolder(kind, path).map((file) => {
      const text = readFoundFile(file) ?? cannotTrust(file)
      return { kind, path: file, text, shown: text }
    }),
  )
  const packs = (await readFolderPacks(path)).map(toDecision)
  const files = [...configFiles, ...packs, ...(await dotEnvIn(path))]
  if (files.length === 0 && !isOwn)
    throw new GatewayError('INVALID_PARAMS', `There is nothing to trust in ${path}`, {
      hint: `It has none of ${Object.values(FILE_NAMES).join(', ')}, and no pack in apis/.`,
    })
  const known = readTrust(here())
  const stays = isOwn || known.folders.some((own) => own.path === path)
  const reason = `trust ${isOwn ? '--folder ' : ''}${folder}`
  const change = async () =>
    changeFiles(here(), { reason }, () => {
      recordTrust(here(), files, 'trusted')
      if (isOwn) recordOwnFolder(here(), path)
    })
  const { report } = await withReport(change)
  if (json)
    return printJson({ trusted: files.map((file) => file.path), ...(isOwn && { own: path }) })
  const { line, paint } = createTerminal()
  const tick = paint('green', '✓')
  if (isOwn)
    line(
      `${tick} ${path} is yours: what you save in its ${Object.values(FILE_NAMES).join(', ')} applies as you save it. What git brings needs \`portolan trust\` again.`,
    )
  for (const file of files) {
    const again = stays ? '' : '; any change needs `portolan trust` again'
    line(`${tick} ${file.path} is trusted${again}:`)
    for (const said of describeContent(file.kind, file.shown)) line(`    ${said}`)
  }
  line([...report, `Undo: portolan trust --revoke ${shellWord(path)}`].join('\n'))
}

/** Throws where somebody else may write, as what they write would be trusted. */
function mustBeOurs(folder: string): void {
  const path = existsSync(folder) ? realpathSync(folder) : folder
  if (isOnlyOurs(path)) return
  throw new GatewayError('INVALID_PARAMS', `${folder} is not a folder that only you can write in`, {
    hint: `\`ls -ld ${shellWord(folder)}\` shows its owner and who may write there.`,
  })
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
  const { result: revoked, report } = await withReport(async () =>
    changeFiles(here(), { reason: `trust --revoke ${folder}` }, () => revokeTrust(here(), path)),
  )
  if (json) return printJson({ revoked })
  const { line } = createTerminal()
  if (revoked.length === 0) line(`Nothing in ${path} was trusted.`)
  for (const file of revoked) line(`${file} is no longer trusted.`)
  for (const text of report) line(text)
}

export async function listTrust({ json }: Output): Promise<void> {
  const { files: entries, folders } = readTrust(here())
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
  const own = folders.map(({ path, at }) => ({ path, state: 'yours' as const, at }))
  const all = [...own, ...rows]
  if (json) return printJson(all)
  const { line, table, paint } = createTerminal()
  if (all.length === 0)
    line('No file is trusted. portolan trust <folder> trusts those of a folder.')
  table(all.map(({ path, state }) => [paint(COLOURS[state], STATES[state]), path]))
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
  yours: 'yours',
  trusted: 'trusted',
  changed: 'changed since it was trusted',
  declined: 'declined',
  unknown: 'declined',
  gone: 'gone',
} as const

const COLOURS = {
  yours: 'green',
  trusted: 'green',
  changed: 'yellow',
  declined: 'gray',
  unknown: 'gray',
  gone: 'gray',
} as const
