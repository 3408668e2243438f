import { lockFileOf } from '../../config/lock/lock-file.ts'
import { writeLockedServer } from '../../config/lock/write-locked.ts'
import type { Workspace } from '../../config/paths.ts'
import type { ServerConfig, ServerOrigin } from '../../config/servers/servers.ts'
import type { ReviewDecision, ServerReview } from '../../dashboard/contract/servers.ts'
import { NOTHING_ACCEPTED } from '../../gateway/tools/accepted.ts'
import { originOf } from './identity.ts'
import { definitionDiff } from './compare-lists.ts'
import type { DriftGuard } from '../../upstreams/drift/drift-guard.ts'
import { KINDS, withAccepted } from '../../upstreams/drift/apply-drift.ts'

export type { ReviewDecision, ServerReview }

export interface ReviewOptions {
  readonly place: Workspace
  readonly guardOf: (server: string) => DriftGuard | undefined
  readonly entryOf: (server: string) => ServerConfig | undefined
  /** Reads the lock again. */
  readonly reload: () => Promise<unknown>
}

export interface Reviews {
  /** Undefined for a server of which nothing is ever held. */
  review(server: string): ServerReview | undefined
  decide(server: string, decision: ReviewDecision, by: string): Promise<string[]>
}

/** What people see and decide of the servers of a folder. */
export function createReviews({ place, guardOf, entryOf, reload }: ReviewOptions): Reviews {
  const find = (name: string): ReviewedServer | undefined => {
    const guard = guardOf(name)
    return guard && { name, guard, origin: originOf(entryOf(name)) }
  }
  return {
    review(name) {
      const server = find(name)
      return server && reviewOf(server)
    },
    async decide(name, decision, by) {
      const server = find(name)
      const names = server ? await decideDrift(server, decision, { place, by }) : []
      if (server?.origin?.locked) await reload()
      return names
    },
  }
}

interface ReviewedServer {
  readonly name: string
  readonly guard: DriftGuard
  readonly origin: ServerOrigin | undefined
}

/** Shows what is held of a server. */
function reviewOf({ name, guard, origin }: ReviewedServer): ServerReview {
  const { changes, quarantine, wrongDestination, problem } = guard.review
  return {
    server: name,
    lock: origin?.locked ? lockFileOf(origin.file) : null,
    blocked: wrongDestination ?? quarantine ?? null,
    problem: problem ?? null,
    changes: changes.map(({ list, accepted, definition, since, rejected, ...change }) => ({
      digest: change.digest,
      kind: KINDS[list],
      name: change.name,
      reasons: change.reasons,
      hold: change.hold,
      since: new Date(since).toISOString(),
      rejected: rejected === true,
      diff: definitionDiff(accepted, definition),
    })),
  }
}

/** Applies a decision, also in the lock that a folder has; returns the names of what it was about. */
async function decideDrift(
  { name, guard, origin }: ReviewedServer,
  { accept, digests }: ReviewDecision,
  { place, by }: { readonly place: Workspace; readonly by: string },
): Promise<string[]> {
  const wanted = guard.review.changes.filter(({ digest }) => digests.includes(digest))
  if (accept && origin?.locked && wanted.length > 0) {
    const before = origin.wrongDestination === undefined ? origin.locked : NOTHING_ACCEPTED
    await writeLockedServer(
      { place, file: origin.file, by, reason: `accept changes of ${name}` },
      new Map([[name, withAccepted(before, wanted)]]),
    )
  }
  return guard.decide(digests, accept).map(({ list, name: changed }) => `${KINDS[list]} ${changed}`)
}
