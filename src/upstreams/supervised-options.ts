import type { Project } from '../protocol/service.ts'
import type { SessionMode } from './connections/scopes.ts'
import type { SpokenEras } from './spoken-eras.ts'
import type { Connect } from './link.ts'
import type { ListingStore } from './listing/listing-store.ts'

export interface SupervisedOptions {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly description: string | undefined
  readonly connect: Connect
  /** The person whose sign-in its connections use; undefined for none. */
  readonly person?: string | undefined
  /** The eras it speaks according to its configuration. */
  readonly eras: SpokenEras
  readonly session: SessionMode
  /** The most connections besides the shared one. */
  readonly maxConnections: number
  /** How long a connection that belongs to no session stays open without a call. */
  readonly releaseMs: number
  readonly store: ListingStore
  readonly connectMs: number
  readonly backoffMs: { readonly min: number; readonly max: number }
  readonly drainMs: number
  /** Silence after which the server is stopped until it is needed again. */
  readonly idleMs: number | undefined
  /** The project to use when no client names one. */
  readonly project: () => Promise<Project>
  log(line: string): void
}
