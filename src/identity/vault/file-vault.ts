import { readFileSync, readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Lazy } from '../../base/flow/lazy.ts'
import type { Soon } from '../../base/flow/soon.ts'
import { hasCode } from '../../base/errors.ts'
import { withLock, writeSecretFile } from '../safe-file.ts'
import type { Seal } from './seal.ts'
import { type Vault, type VaultRecord, withChange } from './vault.ts'

const SUFFIX = '.sealed'
/** How long a record is used before its file is checked for changes by another process. */
const LOOK_AGAIN_MS = 500
/** Long, as the lock is held while an authorization server renews a token. */
const LOCK_WAIT_MS = 60_000
/** Records in memory: those least recently asked for are read again. */
const MAX_KNOWN = 5_000

/**
 * Stores each record in a sealed file, readable by its owner only; processes that share the folder
 * take turns. Reading a record sealed with an earlier key seals it again, unless read-only.
 */
export function createFileVault(
  folder: string,
  openSeal: () => Promise<Seal>,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Vault {
  const seal = new Lazy(openSeal)
  const records = new Map<string, VaultRecord<object>>()
  const create = (name: string) =>
    createRecord(join(folder, `${name}${SUFFIX}`), {
      name,
      openSeal: async () => seal.get(),
      readOnly,
    })
  return {
    record<Value extends object>(name: string): VaultRecord<Value> {
      // One object per name, so that all users share its cache and take turns.
      const known = records.get(name) ?? create(name)
      records.delete(name)
      records.set(name, known)
      // Anybody can ask for made-up names, by the state in the address of a sign-in.
      if (records.size > MAX_KNOWN) records.delete(records.keys().next().value ?? '')
      return known
    },
    async names(prefix) {
      return filesIn(folder)
        .filter((file) => file.startsWith(prefix) && file.endsWith(SUFFIX))
        .map((file) => file.slice(0, -SUFFIX.length))
        .toSorted()
    },
  }
}

interface VaultContent {
  readonly value: object
  /** The inode and modification time of the file, to detect changes. */
  readonly stamp: string
  readonly at: number
}

function createRecord(
  path: string,
  {
    name,
    openSeal,
    readOnly,
  }: {
    readonly name: string
    readonly openSeal: () => Promise<Seal>
    readonly readOnly: boolean
  },
): VaultRecord<object> {
  let known: VaultContent | undefined
  let turn: Promise<unknown> = Promise.resolve()

  function read(): Soon<object> {
    if (known && performance.now() - known.at < LOOK_AGAIN_MS) return known.value
    return readAgain()
  }

  async function readAgain(): Promise<object> {
    const at = performance.now()
    const stamp = stampOf(path)
    if (known?.stamp === stamp) known = { ...known, at }
    // The stamp is older than the value: a write in between is noticed the next time.
    else known = { value: await load(), stamp, at }
    return known.value
  }

  async function load(): Promise<object> {
    const text = textOf(path)
    if (text === undefined) return {}
    const seal = await openSeal()
    const opened = seal.open(text, name)
    // Reading must not undo what another process writes meanwhile, nor restore what it removes.
    if (!readOnly && seal.isStale(text, name))
      await writeSecretFile(path, seal.close(opened, name), () => textOf(path) === text)
    return JSON.parse(opened)
  }

  async function write(value: object): Promise<void> {
    const seal = await openSeal()
    await writeSecretFile(path, seal.close(JSON.stringify(value), name))
    known = { value, stamp: stampOf(path), at: performance.now() }
  }

  return {
    read,
    update: async (change) => write(withChange(await readAgain(), change)),
    async remove() {
      await rm(path, { force: true })
      known = undefined
    },
    async exclusively(work) {
      const result = turn.then(async () =>
        withLock(
          path,
          async () => {
            known = undefined
            return work()
          },
          LOCK_WAIT_MS,
        ),
      )
      turn = result.catch(() => undefined)
      return result
    },
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found ? `${found.ino} ${found.mtimeNs}` : ''
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
