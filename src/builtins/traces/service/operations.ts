import type { z } from 'zod'
import type { Account } from '../../../storage/tables/trace-tables.ts'
import { amendmentsOf } from '../../../storage/traces/amendments.ts'
import { browseTraces, countBrowsed } from '../../../storage/traces/browse.ts'
import { clearFlags, flaggedTraces } from '../../../storage/traces/flags.ts'
import { tagNames } from '../../../storage/traces/tags.ts'
import { deleteTrace, findTrace, updateTrace } from '../../../storage/traces/trace-rows.ts'
import type { OperationName } from '../port.ts'
import type { Right } from './access.ts'
import { ApiError } from './api-error.ts'
import type { Deps } from './deps.ts'
import { amendTrace, decideAmendment, voteAmendment } from './operations/amend-trace.ts'
import { answerSearch } from './operations/answer-search.ts'
import { contributeTrace } from './operations/contribute-trace.ts'
import { flagTrace } from './operations/flag-trace.ts'
import { openTrace, presentAmendment } from './operations/open-trace.ts'
import { voteTrace } from './operations/vote-trace.ts'
import { presentTraces, toIso } from './present-trace.ts'
import {
  amendmentVote,
  decision,
  flaggedPage,
  newAmendment,
  newFlag,
  newTrace,
  newVote,
  page,
  search,
} from './schemas.ts'

interface Request<Input> {
  readonly account: Account
  /** The trace or the amendment that it is about. */
  readonly id: string
  readonly input: Input
  /** How long the caller waits for the answer. */
  readonly leftMs?: number | undefined
}

// The operations differ in input; each `run` only receives input that its schema parsed.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyOperation = Operation<any, object>

export interface Operation<Input, Answer extends object> {
  /** What the account must have, besides a valid key. */
  readonly needs?: Right
  /** Absent where it takes none. */
  readonly input?: z.ZodType<Input>
  run(deps: Deps, request: Request<Input>): Promise<Answer>
}

/** The operations of the service; each runs after the account was checked and the input parsed. */
export const SERVICE_OPERATIONS = {
  search: define({
    input: search,
    run: async (deps, { account, input, leftMs }) => answerSearch(deps, account, input, leftMs),
  }),
  contribute: define({
    needs: 'contributor',
    input: newTrace,
    async run(deps, { account, input }) {
      const { id, ignoredTags } = await contributeTrace(deps, account, input)
      return {
        id,
        status: 'pending' as const,
        message: 'Trace accepted for processing',
        ignored_tags: [...ignoredTags],
      }
    },
  }),
  list: define({
    input: page,
    async run(deps, { input }) {
      const { db } = deps.storage
      const traces = await presentTraces(deps, await browseTraces(db, input))
      return { traces, total: await countBrowsed(db, input) }
    },
  }),
  get: define({ run: async (deps, { account, id }) => openTrace(deps, account, id) }),
  vote: define({
    needs: 'email',
    input: newVote,
    async run(deps, { account, id, input }) {
      const vote = await voteTrace(deps, account, id, input)
      return {
        id: vote.id,
        trace_id: vote.trace_id,
        voter_id: vote.voter_id,
        vote_type: vote.vote_type,
        feedback_tag: vote.feedback_tag,
        feedback_text: vote.feedback_text,
        created_at: toIso(vote.created_at),
      }
    },
  }),
  amend: define({
    needs: 'contributor',
    input: newAmendment,
    run: async (deps, { account, id, input }) =>
      presentAmendment(await amendTrace(deps, account, id, input)),
  }),
  amendments: define({
    async run({ storage }, { id }) {
      await requireTrace(storage, id)
      return { amendments: (await amendmentsOf(storage.db, id)).map(presentAmendment) }
    },
  }),
  voteAmendment: define({
    needs: 'email',
    input: amendmentVote,
    run: async (deps, { account, id, input }) =>
      presentAmendment(await voteAmendment(deps, account, id, input.vote_type)),
  }),
  decideAmendment: define({
    needs: 'email',
    input: decision,
    run: async (deps, { account, id, input }) =>
      presentAmendment(await decideAmendment(deps, account, id, input.decision)),
  }),
  tags: define({
    run: async ({ storage }) => ({ tags: await tagNames(storage.db) }),
  }),
  flag: define({
    input: newFlag,
    async run(deps, { account, id, input }) {
      const { recorded, hidden } = await flagTrace(deps, account, id, input)
      return {
        trace_id: id,
        flagged: true,
        hidden,
        category: input.category,
        message: recorded ? 'Reported to the moderators' : 'You have reported this trace before',
      }
    },
  }),
  flagged: define({
    needs: 'moderator',
    input: flaggedPage,
    run: async (deps, { input }) =>
      presentTraces(deps, await flaggedTraces(deps.storage.db, input)),
  }),
  unflag: define({
    needs: 'moderator',
    async run({ storage }, { id }) {
      await requireTrace(storage, id)
      await storage.transaction(async (tx) => {
        await clearFlags(tx, id)
        await updateTrace(tx, id, { is_flagged: 0, flagged_at: null })
      })
      return { cleared: true as const, trace_id: id }
    },
  }),
  validate: define({
    needs: 'moderator',
    async run({ storage, now }, { id }) {
      await requireTrace(storage, id)
      await storage.transaction(async (tx) => {
        await clearFlags(tx, id)
        const change = { is_flagged: 0, flagged_at: null, status: 'validated' } as const
        await updateTrace(tx, id, { ...change, updated_at: now() })
      })
      return { validated: true as const, trace_id: id }
    },
  }),
  remove: define({
    needs: 'moderator',
    async run({ storage, index }, { id }) {
      if (!(await deleteTrace(storage.db, id))) throw new ApiError(404, 'Trace not found')
      index.delete(id)
      return { deleted: true as const, trace_id: id }
    },
  }),
} satisfies Record<OperationName, unknown>

/** Returns its argument; the type checker takes the type of the input from the schema. */
function define<Input, Answer extends object>(
  operation: Operation<Input, Answer>,
): Operation<Input, Answer> {
  return operation
}

async function requireTrace({ db }: Deps['storage'], id: string): Promise<void> {
  if (!(await findTrace(db, id))) throw new ApiError(404, 'Trace not found')
}
