import type { JsonObject } from '../../base/json/json.ts'
import { heldByName, heldError } from '../../gateway/names/held-tool.ts'
import type { DefinitionChange, Listing } from '../../gateway/upstream.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import type { AcceptedLists } from '../../gateway/tools/accepted.ts'
import { type AcceptedRecord, type HeldChange, emptyRecord } from './accepted-record.ts'
import type { AcceptedStore } from './accepted-store.ts'
import { type SuspectsAmong, applyDrift, withAccepted } from './apply-drift.ts'

export interface DriftGuardOptions {
  readonly server: string
  readonly store: AcceptedStore
  /** What `mcp.lock` says about the server. */
  readonly locked?: AcceptedLists | undefined
  readonly wrongDestination?: string | undefined
  readonly suspectsAmong: SuspectsAmong
  /** Called with changes that were not known before. */
  readonly report: (changes: readonly DefinitionChange[]) => void
  readonly warn: (message: string) => void
}

/** What is named by the requests that use a definition. */
const ABOUT: Readonly<Record<string, string>> = { 'tools/call': 'tool', 'prompts/get': 'prompt' }
/** What is held of a server, and why. */
export interface DriftReview {
  readonly changes: readonly (HeldChange & { readonly accepted: JsonObject | undefined })[]
  readonly quarantine?: string
  readonly wrongDestination?: string
  /** Why decisions do not last. */
  readonly problem?: string
}

/** How long a record is used before it is checked whether another process has changed it. */
const LOOK_AGAIN_MS = 1_000

/**
 * Compares every listing of a server with what was accepted of it, whatever client or connection it
 * is for, and holds what has changed materially.
 */
export class DriftGuard {
  readonly #options: DriftGuardOptions
  readonly #views = new WeakMap<Listing, { readonly generation: number; readonly view: Listing }>()
  readonly #listeners = new Set<() => void>()
  #loading: Promise<void> | undefined
  #record: AcceptedRecord
  #stamp: string
  #lookedAt = performance.now()
  #generation = 0
  #warned: string | undefined

  constructor(options: DriftGuardOptions) {
    this.#options = options
    const { store, server } = options
    this.#record = emptyRecord(server)
    this.#stamp = ''
    this.#loading = store.loaded()?.then(() => this.#known())
    if (!this.#loading) this.#load()
  }

  /** Resolves when it is known what was accepted; undefined once it is. */
  loaded(): Promise<void> | undefined {
    return this.#loading
  }

  /** Returns a listing as agents get it: the same object as long as nothing changes. */
  view(listing: Listing): Listing {
    // Nothing is shown, and nothing accepted, before it is known what was accepted.
    if (this.#loading) return EMPTY_LISTING
    this.#lookAgain()
    const known = this.#views.get(listing)
    if (known?.generation === this.#generation) return known.view
    // A server that has not been listed yet offers nothing that could be accepted.
    if (listing.serverInfo === undefined && listing.tools.length === 0) return listing
    const { locked, wrongDestination, suspectsAmong, report } = this.#options
    const baseline = { record: this.#record, locked, wrongDestination, suspectsAmong }
    const { listing: applied, record, fresh } = applyDrift(listing, baseline)
    if (isChanged(this.#record, record)) this.#save(record)
    if (fresh.length > 0) report(fresh)
    const { problem } = this.#options.store
    const view = problem
      ? { ...applied, drift: { changes: applied.drift?.changes ?? [], problem } }
      : applied
    this.#views.set(listing, { generation: this.#generation, view })
    return view
  }

  /** Whether requests with this method are about a definition that may be held. */
  isAbout(method: string): boolean {
    return Object.hasOwn(ABOUT, method)
  }

  /** Throws if a request is about a tool or a prompt that is held. */
  check(listing: Listing, method: string, params: JsonObject): void {
    const change = heldByName(this.view(listing), ABOUT[method] ?? '', String(params['name']))
    if (change) throw heldError(this.#options.server, change)
  }

  /** Calls the listener when a person has decided, and lists have changed by that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What is held, for the person who decides about it. */
  get review(): DriftReview {
    const { locked, wrongDestination, store } = this.#options
    this.#lookAgain()
    const accepted = locked ?? this.#record.accepted
    return {
      changes: this.#record.held.map((change) => ({
        ...change,
        accepted: accepted[change.list][change.name]?.definition,
      })),
      ...(this.#record.quarantine !== undefined && { quarantine: this.#record.quarantine }),
      ...(wrongDestination !== undefined && { wrongDestination }),
      ...(store.problem !== undefined && { problem: store.problem }),
    }
  }

  /** The names of the tools that were accepted. */
  get toolNames(): readonly string[] {
    const { locked } = this.#options
    return Object.keys((locked ?? this.#record.accepted).tools)
  }

  /** Applies the decision of a person on the changes with these digests; returns them. */
  decide(digests: readonly string[], isAccepted: boolean): readonly HeldChange[] {
    const { record, decided } = decideOn(this.#record, digests, isAccepted)
    if (decided.length === 0) return []
    this.#save(record)
    this.#tell()
    return decided
  }

  #known(): void {
    this.#loading = undefined
    this.#load()
    this.#tell()
  }

  #lookAgain(): void {
    const now = performance.now()
    if (now - this.#lookedAt < LOOK_AGAIN_MS) return
    this.#lookedAt = now
    if (this.#options.store.stamp() === this.#stamp) return
    this.#load()
    // Not within a call that asks for the listing.
    queueMicrotask(() => this.#tell())
  }

  #load(): void {
    const { store, server } = this.#options
    this.#stamp = store.stamp()
    this.#record = store.load() ?? emptyRecord(server)
    this.#generation += 1
    this.#warn()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  #save(record: AcceptedRecord): void {
    const { store } = this.#options
    this.#record = record
    this.#generation += 1
    store.save(record)
    this.#stamp = store.stamp()
    this.#warn()
  }

  #warn(): void {
    const { problem } = this.#options.store
    if (problem !== undefined && problem !== this.#warned) this.#options.warn(problem)
    this.#warned = problem
  }
}

function decideOn(record: AcceptedRecord, digests: readonly string[], isAccepted: boolean) {
  const wanted = new Set(digests)
  const decided = record.held.filter(({ digest }) => wanted.has(digest))
  const others = record.held.filter(({ digest }) => !wanted.has(digest))
  const rejected = isAccepted ? [] : decided.map((one) => ({ ...one, rejected: true }))
  const held = [...others, ...rejected]
  const { quarantine, ...rest } = record
  const waits = quarantine !== undefined && held.some((one) => !one.rejected)
  return {
    decided,
    record: {
      ...rest,
      ...(waits && { quarantine }),
      accepted: isAccepted ? withAccepted(record.accepted, decided) : record.accepted,
      known: isAccepted ? [...record.known, ...decided.map(({ digest }) => digest)] : record.known,
      held,
    },
  }
}

/** Whether a record is worth storing: what is accepted changes only together with these. */
function isChanged(before: AcceptedRecord, after: AcceptedRecord): boolean {
  return before !== after && stateOf(before) !== stateOf(after)
}

function stateOf({ known, held, variants, quarantine }: AcceptedRecord): string {
  const waiting = held.map(({ digest, rejected }) => [digest, rejected])
  return JSON.stringify([known, waiting, variants, quarantine])
}
