import type { Selectable } from 'kysely'
import type { SharedTables } from '../tables/shared-tables.ts'
import type { Storage } from '../storage.ts'

export type ApprovalRow = Selectable<SharedTables['approvals']>

export interface Bonds {
  readonly call: string
  readonly session: string
}

/** How long answered questions are kept for those who ask what was answered. */
const REMEMBER_MS = 30 * 86_400_000
const MAX_LISTED = 200

export type ApprovalRows = ReturnType<typeof createApprovalRows>

/** The rows of approvals. Each change is one statement with a condition, so that one process wins. */
export function createApprovalRows({ db }: Pick<Storage, 'db'>) {
  const find = async (id: string): Promise<ApprovalRow | undefined> =>
    db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst()

  /** Returns the row if it was in the state, and now has the changes. */
  async function change(
    id: string,
    state: ApprovalRow['state'],
    changes: Partial<ApprovalRow>,
  ): Promise<ApprovalRow | undefined> {
    const { numUpdatedRows } = await db
      .updateTable('approvals')
      .set(changes)
      .where('id', '=', id)
      .where('state', '=', state)
      .where('expires_at', '>', Date.now())
      .executeTakeFirst()
    return numUpdatedRows > 0n ? find(id) : undefined
  }

  return {
    find,

    /** Adds a question, unless one waits for the same call. */
    async add(row: ApprovalRow): Promise<boolean> {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('approvals')
        .values(row)
        .onConflict((conflict) => conflict.column('waiting_bond').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },

    async waitingFor(bond: string): Promise<ApprovalRow | undefined> {
      return db
        .selectFrom('approvals')
        .selectAll()
        .where('waiting_bond', '=', bond)
        .executeTakeFirst()
    },

    async waitingOf(agent: string): Promise<number> {
      const { count } = await db
        .selectFrom('approvals')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('state', '=', 'pending')
        .where('agent', '=', agent)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Returns what was answered about a call and has not expired, the newest answer first. */
    async answersTo({ call, session }: Bonds): Promise<ApprovalRow[]> {
      return db
        .selectFrom('approvals')
        .selectAll()
        .where('state', 'in', ['approved', 'denied'])
        .where('expires_at', '>', Date.now())
        .where((where) =>
          where.or([
            where('call_bond', '=', call),
            where.and([where('session_bond', '=', session), where('scope', '=', 'session')]),
          ]),
        )
        .orderBy('answered_at', 'desc')
        .execute()
    },

    /** Answers a question, and with it those of the calls that it covers. */
    async answer(
      id: string,
      changes: Partial<ApprovalRow>,
      covered: readonly ApprovalRow[] = [],
    ): Promise<ApprovalRow | undefined> {
      const answered = { ...changes, waiting_bond: null, answered_at: Date.now() }
      if (covered.length === 0) return change(id, 'pending', answered)
      // Nobody must find the answer before those that it stands for.
      return db.transaction().execute(async (transaction) => {
        const row = await createApprovalRows({ db: transaction }).answer(id, changes)
        if (row)
          await transaction
            .insertInto('approvals')
            .values(covered.map((each) => ({ ...each, ...answered })))
            .execute()
        return row
      })
    },

    /** Uses up the approval of one call; only one caller gets the row. */
    use: async (id: string, callId: string) =>
      change(id, 'approved', { state: 'used', used_by: callId }),

    async list(): Promise<ApprovalRow[]> {
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .orderBy('created_at', 'desc')
        .limit(MAX_LISTED)
        .execute()
      const waiting = (row: ApprovalRow) => Number(row.state !== 'pending')
      return rows.toSorted((one, other) => waiting(one) - waiting(other))
    },

    /** Marks questions that nobody has answered in time, and forgets old ones. */
    async expire(): Promise<ApprovalRow[]> {
      const now = Date.now()
      const late = await db
        .updateTable('approvals')
        .set({ state: 'expired', waiting_bond: null })
        .where('state', '=', 'pending')
        .where('expires_at', '<=', now)
        .returningAll()
        .execute()
      if (late.length > 0)
        await db
          .deleteFrom('approvals')
          .where('expires_at', '<=', now - REMEMBER_MS)
          .execute()
      return late
    },
  }
}
