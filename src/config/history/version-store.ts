import { readFileSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { identityFiles } from '../../identity/identity-files.ts'
import { writeSecretFile } from '../../identity/safe-file.ts'
import { openSeal } from '../../identity/vault/open-vault.ts'
import type { Seal } from '../../identity/vault/seal.ts'
import { type Workspace, dataFolder, historyFolder } from '../paths.ts'

/** One file in a version. Both contents are the same if the version only shows what it was then. */
export interface FileVersion {
  readonly path: string
  /** Null if there was no file. */
  readonly before: Buffer | null
  readonly after: Buffer | null
}

/** One change of the configuration: by whom, when, why, and what it did to each file. */
export interface Version {
  readonly version: number
  readonly at: string
  readonly by: string
  readonly reason: string
  readonly files: readonly FileVersion[]
}

/** The version before the first change, which is not stored. */
export const FIRST_VERSION = 1
/** Older ones are removed. */
const MAX_VERSIONS = 1000
const SUFFIX = '.sealed'

const bytes = z
  .string()
  .nullable()
  .transform((text) => (text === null ? null : Buffer.from(text, 'base64')))
const stored = z.object({
  at: z.string(),
  by: z.string(),
  reason: z.string(),
  files: z.array(z.object({ path: z.string(), before: bytes, after: bytes })),
})

/** The versions of a data folder: one sealed file each, numbered from 2. */
export class VersionStore {
  readonly #folder: string
  readonly #seal: Seal

  private constructor(folder: string, seal: Seal) {
    this.#folder = folder
    this.#seal = seal
  }

  static async open(place: Workspace): Promise<VersionStore> {
    const home = dataFolder(place)
    const seal = openSeal(identityFiles(home).vaultKey, place.env)
    return new VersionStore(historyFolder(place), seal)
  }

  /** Returns the versions that the present key opens, oldest first. */
  all(): Version[] {
    return this.#numbers().flatMap((version) => this.#read(version) ?? [])
  }

  /** Adds the next version. The caller holds the lock of the data folder. */
  async add(change: Omit<Version, 'version' | 'at'>): Promise<Version> {
    const numbers = this.#numbers()
    const version = (numbers.at(-1) ?? FIRST_VERSION) + 1
    const at = new Date().toISOString()
    const files = change.files.map(({ path, before, after }) => ({
      path,
      before: before?.toString('base64') ?? null,
      after: after?.toString('base64') ?? null,
    }))
    const text = JSON.stringify({ ...change, at, files })
    const sealed = this.#seal.closeBytes(deflateRawSync(text), nameOf(version))
    await writeSecretFile(this.#path(version), sealed ?? '')
    for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - MAX_VERSIONS)))
      await rm(this.#path(old), { force: true })
    return { ...change, version, at }
  }

  #numbers(): number[] {
    try {
      return readdirSync(this.#folder)
        .filter((file) => /^\d+\.sealed$/.test(file))
        .map((file) => Number.parseInt(file, 10))
        .toSorted((a, b) => a - b)
    } catch {
      return []
    }
  }

  #read(version: number): Version | undefined {
    try {
      const sealed = readFileSync(this.#path(version), 'utf8')
      const text = inflateRawSync(this.#seal.openBytes(sealed, nameOf(version))).toString('utf8')
      return { version, ...stored.parse(JSON.parse(text)) }
    } catch {
      return undefined
    }
  }

  #path(version: number): string {
    return join(this.#folder, `${version}${SUFFIX}`)
  }
}

/** Binds what is sealed to its place, so that no version can stand for another one. */
function nameOf(version: number): string {
  return `history/${version}`
}

/** Returns the content of a file as of a version; undefined if no version knows the file. */
export function contentAt(
  versions: readonly Version[],
  path: string,
  at: number,
): Buffer | null | undefined {
  const of = ({ files }: Version) => files.find((file) => file.path === path)
  const last = versions.findLast((each) => each.version <= at && of(each))
  const next = versions.find((each) => each.version > at && of(each))
  return (last ? of(last)?.after : undefined) ?? (last ? null : next && of(next)?.before)
}
