import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { KnownNames } from '../../gateway/names/known-names.ts'
import { DAY_MS, mergeNames } from '../../gateway/names/merge-names.ts'
import { NO_NAMES, formatNames, parseNames } from '../../gateway/names/name-map.ts'
import type { NamesStore } from '../../gateway/names/names-store.ts'
import type { Log } from '../../telemetry/log.ts'
import { type Fingerprints, renamedServers } from '../upstreams/renamed-servers.ts'

export interface StoredNamesOptions {
  readonly names: KnownNames
  /** Opens the store with the first request; returns undefined if nothing is to be stored. */
  readonly open: () => Promise<NamesStore | undefined>
  /** The servers that are configured now. */
  readonly servers: () => Fingerprints
  readonly log: Log
}

/** The longest that a store that does not answer delays the first request. */
const FIRST_READ_MS = 2000
/** Delay of a write, because names are given many at a time and written together. */
const WRITE_AFTER_MS = 1000
const RETRY_MS = 30_000
const READ_AFTER_MS = 100
/** The shortest time between two reads for unknown names, and the longest that one may take. */
const LOOK_EVERY_MS = 1000
const LOOK_MS = 250
const MAX_TRIES = 5
const LAST_WRITE_MS = 5000

interface Found {
  readonly text: string
  /** The text that should be stored, with the names of this process. */
  readonly wanted: string
}

/**
 * Stores the names that clients were shown beyond this process: reads them before the first request
 * is answered, and writes them in the background. While that fails, the process uses its own
 * memory.
 */
export class StoredNames {
  readonly #options: StoredNamesOptions
  readonly #timers = new Map<'read' | 'write' | 'daily', NodeJS.Timeout>()
  #store: NamesStore | undefined
  #first: Promise<void> | undefined
  #isLoaded = false
  #hasRead = false
  #writing: Promise<void> = Promise.resolve()
  #hasNews = false
  #lookedAt = -Infinity
  #unsubscribe: (() => void) | undefined
  #reported: string | undefined
  #closed = false

  constructor(options: StoredNamesOptions) {
    this.#options = options
  }

  /** Resolves when the names were first read; undefined once they are. */
  loaded(): Promise<void> | undefined {
    if (this.#isLoaded) return undefined
    this.#first ??= this.#load()
    return this.#first
  }

  /** Reads the store for an unknown name, which another replica may have given a moment ago. */
  async catchUp(): Promise<void> {
    const now = performance.now()
    if (!this.#store || now - this.#lookedAt < LOOK_EVERY_MS) return
    this.#lookedAt = now
    await withTimeout(this.#read(), LOOK_MS, () => undefined)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#unsubscribe?.()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    if (this.#hasNews) void this.#write()
    await withTimeout(this.#writing, LAST_WRITE_MS, () => undefined)
  }

  async #load(): Promise<void> {
    await withTimeout(this.#start(), FIRST_READ_MS, () => undefined)
    this.#isLoaded = true
  }

  async #start(): Promise<void> {
    const { names, open } = this.#options
    try {
      this.#store = await open()
    } catch (error) {
      this.#reportUnusable(error)
    }
    if (!this.#store) return
    names.onChange(() => this.#writeSoon())
    this.#unsubscribe = this.#store.onChange?.(() => this.#later('read', READ_AFTER_MS))
    await this.#read()
    this.#later('daily', DAY_MS)
  }

  #writeSoon(): void {
    this.#hasNews = true
    this.#later('write', WRITE_AFTER_MS)
  }

  #later(what: 'read' | 'write' | 'daily', ms: number): void {
    if (this.#closed || this.#timers.has(what)) return
    const timer = setTimeout(() => {
      this.#timers.delete(what)
      if (what === 'daily') this.#later('daily', DAY_MS)
      void (what === 'read' ? this.#read() : this.#write())
    }, ms)
    timer.unref()
    this.#timers.set(what, timer)
  }

  /** Reads the stored names. Writes missing ones after the first read, or if none are stored. */
  async #read(): Promise<void> {
    try {
      const found = await this.#find()
      if (!found) return
      const mayLack = !this.#hasRead || found.text === ''
      this.#hasRead = true
      if (mayLack && found.text !== found.wanted) this.#writeSoon()
    } catch (error) {
      this.#reportUnusable(error)
    }
  }

  /** Writes one after the other. */
  async #write(): Promise<void> {
    this.#writing = this.#writing
      .then(async () => this.#replace())
      .catch((error: unknown) => {
        // Tried again with the next change, or at the end.
        this.#hasNews = true
        this.#reportUnusable(error)
      })
    return this.#writing
  }

  async #replace(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      this.#hasNews = false
      const found = await this.#find()
      if (found && found.text === found.wanted) return
      if (found && (await this.#store?.replace(found.text, found.wanted))) return
      this.#hasNews = true
      if (!found) break
      // Others write as well; a random delay keeps them apart.
      await sleep(Math.random() * 50 * 2 ** tries)
    }
    this.#later('write', RETRY_MS)
  }

  async #find(): Promise<Found | undefined> {
    const { names, servers } = this.#options
    const text = await this.#store?.read()
    if (text === undefined) return undefined
    const parsed = parseNames(text)
    if (!parsed)
      this.#report(
        `The stored names that clients were shown are damaged (${this.#store?.place}): they are written again, and names from before may be refused`,
      )
    const stored = parsed ?? NO_NAMES
    const here = servers()
    this.#followRenamed(stored.servers, here)
    const wanted = mergeNames(stored, names.own(here))
    names.learn(wanted, here)
    return { text, wanted: formatNames(wanted) }
  }

  /** Follows servers that were renamed while no process was running. */
  #followRenamed(
    stored: ReadonlyMap<string, { readonly fingerprint: string; readonly renamedTo?: unknown }>,
    here: Fingerprints,
  ): void {
    const before = new Map(
      // A server that has a newer name is known, but not followed again.
      [...stored].map(([name, { fingerprint, renamedTo }]) => [
        name,
        renamedTo === undefined ? fingerprint : '',
      ]),
    )
    for (const [from, to] of renamedServers(before, here)) this.#options.names.renamed(from, to)
  }

  #reportUnusable(error: unknown): void {
    const where = this.#store ? ` (${this.#store.place})` : ''
    this.#report(
      `The names that clients were shown cannot be stored${where}, and keep their meaning only while this process runs: ${messageOf(error)}`,
    )
  }

  /** Logs a problem once, as it is likely to persist. */
  #report(problem: string): void {
    if (problem === this.#reported) return
    this.#reported = problem
    this.#options.log.warn(problem)
  }
}
