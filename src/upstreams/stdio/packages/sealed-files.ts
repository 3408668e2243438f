import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../base/files/replace-file.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Files per turn of the event loop: a gateway answers others meanwhile. */
const PER_TURN = 200
const UNWRITABLE = 0o555

/** What identifies a file: its kind and content, and what changes whenever somebody writes it. */
interface FileSeal {
  readonly digest: string
  readonly stamp: string
}

type Seals = Readonly<Record<string, FileSeal>>

/** Makes all files of a folder read-only, and writes to `record` what they are. */
export async function sealFiles(folder: string, record: string): Promise<void> {
  for await (const { path, stats } of walk(folder))
    if (!stats.isSymbolicLink()) chmodSync(path, Number(stats.mode) & UNWRITABLE)
  chmodSync(folder, UNWRITABLE)
  const seals: Record<string, FileSeal> = {}
  for await (const { name, path, stats } of walk(folder))
    seals[name] = { digest: digestOf(path, stats), stamp: stampOf(stats) }
  writeFileSync(record, JSON.stringify(seals), { mode: 0o600 })
}

/** Returns the first file that is not as it was sealed; undefined if all are. */
export async function findChangedFile(folder: string, record: string): Promise<string | undefined> {
  const seals = readSeals(record)
  if (!seals) return 'the list of its files'
  const now: Record<string, FileSeal> = {}
  let isCopy = false
  for await (const { name, path, stats } of walk(folder)) {
    const seal = Object.hasOwn(seals, name) ? seals[name] : undefined
    const stamp = stampOf(stats)
    if (seal === undefined) return name
    // A copy of the folder, as from a backup, has other stamps.
    if (seal.stamp !== stamp && seal.digest !== digestOf(path, stats)) return name
    isCopy ||= seal.stamp !== stamp
    now[name] = { ...seal, stamp }
  }
  const missing = Object.keys(seals).find((name) => !Object.hasOwn(now, name))
  if (missing === undefined && isCopy) keepStamps(record, now)
  return missing
}

/** Saves the next start from reading every file again. */
function keepStamps(record: string, seals: Seals): void {
  try {
    replaceFile(record, JSON.stringify(seals), 0o600)
  } catch {
    // A full disk or one that is read-only: the next start reads all files as this one did.
  }
}

function readSeals(record: string): Seals | undefined {
  try {
    // We wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return JSON.parse(readFileSync(record, 'utf8')) as Seals
  } catch {
    return undefined
  }
}

/** Removes a folder in which nothing may be written. */
export async function removeSealed(folder: string): Promise<void> {
  if (!existsSync(folder)) return
  for await (const { path, stats } of walk(folder)) if (stats.isDirectory()) chmodSync(path, 0o755)
  rmSync(folder, { recursive: true, force: true })
}

/** Yields everything below a folder, each folder before what is in it; follows no link. */
async function* walk(folder: string) {
  const waiting = ['']
  let count = 0
  for (let within = waiting.pop(); within !== undefined; within = waiting.pop()) {
    for (const entry of readdirSync(join(folder, within))) {
      count += 1
      if (count % PER_TURN === 0) await nextTurn()
      const name = join(within, entry)
      const path = join(folder, name)
      const stats = lstatSync(path, { bigint: true })
      if (stats.isDirectory()) waiting.push(name)
      yield { name, path, stats }
    }
  }
}

function stampOf({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mode, mtimeNs, ctimeNs].join(' ')
}

function digestOf(path: string, stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  if (stats.isDirectory()) return 'folder'
  if (!stats.isFile()) return 'neither file nor folder'
  return createHash('sha256').update(readFileSync(path)).digest('base64')
}
