import { messageOf } from '../../../../base/errors.ts'
import { Semaphore } from '../../../../base/flow/semaphore.ts'
import { withTimeout } from '../../../../base/flow/time.ts'
import type { Embedder } from '../../../../search/embed/embedder.ts'
import type { FoundProject } from '../../project/find-project.ts'
import { ChunkVectors } from './chunk-vectors.ts'
import { FolderWatch } from './folder-watch.ts'
import type { IndexSettings } from './index-settings.ts'
import type { IndexStore } from './index-store.ts'
import { ParserThread } from '../../parse/parser-thread.ts'
import { parsePending } from './parse-pending.ts'
import { ProjectIndex } from './project-index.ts'
import type { EmbeddingModel } from './saved-index.ts'
import { type RefreshOptions, type RefreshReport, refresh, refreshFolders } from './refresh.ts'

export interface LiveOptions {
  readonly store: IndexStore
  /** Whether to watch folders, save and parse in the background, as a server does. */
  readonly background: boolean
}

/**
 * The delay grows with the index: a large one takes longer to save and link, and changes more often
 * than it is searched.
 */
const BACKGROUND_DELAY_MS = 1_000
const BACKGROUND_DELAY_PER_FILE_MS = 1
/** The delay after a failed save: the disk may be full for a while. */
const SAVE_AGAIN_MS = 30_000

/** An open index: refreshed, saved and parsed in the background until it is closed. */
export class LiveIndex {
  readonly index: ProjectIndex
  readonly #options: LiveOptions
  readonly #watch: FolderWatch | undefined
  readonly #closing = new AbortController()
  /** Refreshes take turns: each depends on the changes reported since the one before. */
  readonly #refreshes = new Semaphore(1)
  readonly #saves = new Semaphore(1)
  readonly #openings = new Semaphore(1)
  /** The next refresh that `freshen` has asked for, until its turn comes. */
  #freshening: Promise<unknown> | undefined
  #parsing: Promise<unknown> | undefined
  #saveTimer: NodeJS.Timeout | undefined
  #parseTimer: NodeJS.Timeout | undefined
  #unsaved = false
  #parser: ParserThread | undefined
  /** Set if the project has an embedder. */
  #vectors: ChunkVectors | undefined
  /** Why the last save failed, so that the index on disk differs from the one in memory. */
  saveProblem: string | undefined

  constructor(index: ProjectIndex, options: LiveOptions) {
    this.index = index
    this.#options = options
    if (options.background) this.#watch = new FolderWatch(index.project.root)
  }

  static async open(
    project: FoundProject,
    name: string,
    options: LiveOptions,
  ): Promise<LiveIndex | undefined> {
    const loaded = await options.store.load(name)
    return (
      loaded && new LiveIndex(ProjectIndex.restore(project, loaded.index, loaded.saved), options)
    )
  }

  static create(
    project: FoundProject,
    name: string,
    settings: IndexSettings,
    options: LiveOptions,
  ): LiveIndex {
    return new LiveIndex(ProjectIndex.empty(project, name, settings, options.store.model), options)
  }

  /** Answers questions about the syntax of single files; the first access starts it. */
  get parser(): ParserThread {
    if (!this.#parser?.isAlive) this.#parser = new ParserThread(this.index.project.root)
    return this.#parser
  }

  /** Makes the index equal to the working tree by a full walk, which the caller may cancel. */
  async refresh(options: RefreshOptions = {}): Promise<RefreshReport> {
    return this.#refreshes.run(async () => this.#refresh(options))
  }

  /**
   * Refreshes within a time limit; false if it takes longer and goes on in the background. Callers
   * share the next refresh and never join a running one, which may have passed what changed since.
   */
  async freshen(budgetMs: number): Promise<boolean> {
    this.#freshening ??= Promise.resolve().then(async () =>
      this.#refreshes.run(async () => {
        this.#freshening = undefined
        const changed = await this.#watch?.changes()
        if (changed?.size !== 0) await this.#refresh({}, changed)
      }),
    )
    return withTimeout(
      this.#freshening.then(() => true),
      budgetMs,
      () => false,
    )
  }

  /** Waits for the parser to catch up, for at most the given time. */
  async parsed(budgetMs: number): Promise<void> {
    await withTimeout(this.#parse(), budgetMs, () => undefined)
  }

  /** Updates the vectors to match the index; throws if the embedder cannot be reached. */
  async embed(embedder: Embedder, signal?: AbortSignal): Promise<ChunkVectors> {
    const vectors = await this.#openings.run(async () => this.#vectorsOf(embedder))
    await vectors.update(this.index, signal)
    return vectors
  }

  async #vectorsOf(embedder: Embedder): Promise<ChunkVectors> {
    if (this.#vectors?.embedder.identity === embedder.identity) return this.#vectors
    const file = this.#options.store.vectorFile(this.index.identity.name)
    this.#vectors = await ChunkVectors.open(embedder, file)
    return this.#vectors
  }

  /** Records which model made the vectors. */
  noteEmbedding(embedding: EmbeddingModel | null): void {
    const { embedding: known } = this.index.identity
    if (known?.provider === embedding?.provider && known?.model === embedding?.model) return
    this.index.noteEmbedding(embedding)
    this.#unsaved = true
    if (this.#isInBackground) this.#saveLater()
  }

  async parse(options: Parameters<typeof parsePending>[1]): Promise<void> {
    if ((await parsePending(this.index, options)) > 0) this.#unsaved = true
  }

  /** Saves run one after another, so that an older one cannot finish last. */
  async save(): Promise<void> {
    return this.#saves.run(async () => this.#save())
  }

  async #save(): Promise<void> {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    if (!this.#unsaved) return
    this.#unsaved = false
    try {
      const { index } = this
      await this.#options.store.save(index.identity.name, index.lexical, () => index.toSaved())
      this.saveProblem = undefined
    } catch (error) {
      this.saveProblem = messageOf(error)
      this.#unsaved = true
      if (this.#isInBackground) this.#saveLater(SAVE_AGAIN_MS)
      throw error
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#watch?.close()
    // Waits for the refreshes that have begun or wait for their turn.
    await this.#refreshes.run(async () => undefined)
    clearTimeout(this.#parseTimer)
    await this.#parsing
    await this.#parser?.close()
    await this.save().catch(() => undefined)
  }

  /** Examines only the changed folders, if they are known. */
  async #refresh(
    { signal, progress }: RefreshOptions,
    changed?: ReadonlySet<string>,
  ): Promise<RefreshReport> {
    signal?.throwIfAborted()
    const started = performance.now()
    const { index } = this
    const isFirst = index.files.size === 0
    const before = index.identity.commit
    this.#watch?.expect()
    index.isPartial = isFirst
    const either = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
    const report = await this.#walk(changed, { signal: either, progress })
    index.touch(isFirst ? (performance.now() - started) / 1_000 : undefined)
    if (
      isFirst ||
      report.added + report.updated + report.removed > 0 ||
      before !== index.identity.commit
    ) {
      this.#unsaved = true
      if (this.#isInBackground) this.#later()
    }
    return report
  }

  async #walk(
    changed: ReadonlySet<string> | undefined,
    options: RefreshOptions,
  ): Promise<RefreshReport> {
    const { index } = this
    try {
      const report = changed
        ? await refreshFolders(index, changed, options)
        : await refresh(index, options)
      if (changed) this.#watch?.followMore(report.folders)
      else this.#watch?.follow(report.folders)
      return report
    } catch (error) {
      this.#watch?.missed()
      throw error
    } finally {
      index.isPartial = false
    }
  }

  #later(): void {
    this.#saveLater()
    this.#parseTimer ??= setTimeout(() => void this.#parse(), this.#delayMs).unref()
  }

  get #isInBackground(): boolean {
    return this.#options.background && !this.#closing.signal.aborted
  }

  get #delayMs(): number {
    return BACKGROUND_DELAY_MS + this.index.files.size * BACKGROUND_DELAY_PER_FILE_MS
  }

  /** Never fails: a file that could not be parsed keeps what the scanner found. */
  async #parse(): Promise<unknown> {
    clearTimeout(this.#parseTimer)
    this.#parseTimer = undefined
    this.#parsing ??= this.index
      .prepareGraph()
      .then(async () => this.parse({ signal: this.#closing.signal }))
      .catch(() => undefined)
      .finally(() => {
        this.#parsing = undefined
        if (this.#isInBackground) this.#saveLater()
      })
    return this.#parsing
  }

  #saveLater(delayMs = this.#delayMs): void {
    const save = (): void => void this.save().catch(() => undefined)
    if (this.#unsaved) this.#saveTimer ??= setTimeout(save, delayMs).unref()
  }
}
