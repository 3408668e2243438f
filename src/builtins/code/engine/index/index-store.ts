import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CodeIndex } from '../../../../search/code/code-index.ts'
import type { TextModel } from '../../../../search/code/code-meaning.ts'
import { loadCodeIndex, saveCodeIndex } from '../../../../search/persist/code-index-file.ts'
import { IndexFileError } from '../../../../search/persist/index-file.ts'
import { codeOf, hasCode } from '../../../../base/errors.ts'
import { isIndexName } from '../../project/find-project.ts'
import { type IndexIdentity, LAYOUT, type PackedRecord, type SavedIndex } from './saved-index.ts'

/** The facts about an index that can be read without loading it. */
export interface IndexSummary extends IndexIdentity {
  readonly files: number
  readonly chunks: number
}

export class IndexStoreError extends Error {
  override readonly name = 'IndexStoreError'
}

/** The indexes under one data folder, one sub-folder each. */
export class IndexStore {
  readonly folder: string
  /** Makes the vectors of the indexes; without it they have none. */
  readonly model: TextModel | undefined

  constructor(home: string = portolanHome(), model?: TextModel) {
    this.folder = join(home, 'code')
    this.model = model
  }

  list(): IndexSummary[] {
    if (!existsSync(this.folder)) return []
    return readdirSync(this.folder)
      .toSorted()
      .map((name) => this.summary(name))
      .filter((summary) => summary !== undefined)
  }

  summary(name: string): IndexSummary | undefined {
    // A name becomes a folder below the data folder, and must not lead out of it.
    if (!isIndexName(name)) return undefined
    try {
      // `save` below wrote this file. It is only a summary: the index itself is checked on loading.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return JSON.parse(readFileSync(this.#path(name, 'summary.json'), 'utf8')) as IndexSummary
    } catch {
      return undefined
    }
  }

  /** Loads an index; undefined if there is no usable one, so that it has to be built. */
  async load(name: string): Promise<{ index: CodeIndex; saved: SavedIndex } | undefined> {
    try {
      const { index, about, records } = await loadCodeIndex(this.#path(name, 'index.bin'), {
        model: this.model,
      })
      // The checksum and the format of the file guarantee its shape.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const saved = { ...(about as SavedIndex), files: records as Iterable<PackedRecord> }
      return saved.layout === LAYOUT ? { index, saved } : undefined
    } catch (error) {
      if (error instanceof IndexFileError) return undefined
      throw error
    }
  }

  /** Saves atomically: a reader, also after a crash, sees either the old index or the new one. */
  async save(name: string, index: CodeIndex, toSaved: () => SavedIndex): Promise<void> {
    const path = this.#path(name, 'summary.json')
    const draft = `${path}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`
    try {
      await mkdir(join(this.folder, name), { recursive: true, mode: 0o700 })
      await this.#sweep(name)
      // Called only now, so that the records and the index are from the same moment.
      const { files: records, ...about } = toSaved()
      const { graph: _, excluded: __, excludedReasons: ___, layout: ____, ...identity } = about
      const summary: IndexSummary = { ...identity, files: index.size, chunks: index.chunkCount }
      await saveCodeIndex(this.#path(name, 'index.bin'), index, { about, records })
      await writeFile(draft, JSON.stringify(summary))
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw new IndexStoreError(explain(error, this.folder), { cause: error })
    }
  }

  async remove(name: string): Promise<boolean> {
    const folder = join(this.folder, name)
    if (!existsSync(folder)) return false
    await rm(folder, { recursive: true, force: true })
    return true
  }

  vectorFile(name: string): string {
    return this.#path(name, 'vectors.bin')
  }

  bytes(name: string): number {
    try {
      return statSync(this.#path(name, 'index.bin')).size
    } catch {
      return 0
    }
  }

  /** Removes drafts of dead processes. A living process is still writing its draft. */
  async #sweep(name: string): Promise<void> {
    for (const file of readdirSync(join(this.folder, name))) {
      const [, pid] = /\.(\d+)\.(?:\w+\.)?tmp$/.exec(file) ?? []
      if (pid !== undefined && !isAlive(Number(pid)))
        await rm(this.#path(name, file), { force: true })
    }
  }

  #path(name: string, file: string): string {
    return join(this.folder, name, file)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

function explain(error: unknown, folder: string): string {
  const code = codeOf(error) ?? 'unknown'
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return `The disk is full: the index could not be saved under ${folder}. Free some space or set PORTOLAN_HOME to another disk; the index still serves from memory.`
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return `The index could not be saved: ${folder} is not writable. Set PORTOLAN_HOME to a folder of yours.`
  }
  return `The index could not be saved under ${folder}: ${String(error)}`
}

export function portolanHome(env: NodeJS.ProcessEnv = process.env): string {
  return env['PORTOLAN_HOME'] || join(homedir(), '.portolan')
}
