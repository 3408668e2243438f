import type { Account } from '../../../../storage/tables/trace-tables.ts'
import { countFlags, insertFlag } from '../../../../storage/traces/flags.ts'
import { lockTrace, updateTrace } from '../../../../storage/traces/trace-rows.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../api-error.ts'
import { isEstablished } from './established.ts'
import { refuseSensitive } from './refuse-sensitive.ts'

/** Flags of established accounts that hide a trace until a moderator looks at it. */
const FLAGS_TO_HIDE = 3

export interface FlagOutcome {
  /** Whether the flag was recorded for the moderators. */
  readonly recorded: boolean
  /** Whether the trace is hidden from search until a moderator decides. */
  readonly hidden: boolean
}

/** Flags a trace. It takes several established accounts or one moderator to hide it. */
export async function flagTrace(
  deps: Deps,
  account: Account,
  traceId: string,
  flag: { readonly reason: string; readonly category: string },
): Promise<FlagOutcome> {
  refuseSensitive(flag)
  const { storage, now } = deps
  return storage.transaction(async (tx) => {
    const trace = await lockTrace(tx, storage.engine, traceId)
    if (!trace) throw new ApiError(404, 'Trace not found')
    const recorded = await insertFlag(tx, {
      trace_id: traceId,
      account_id: account.id,
      category: flag.category,
      reason: flag.reason,
      counts: isEstablished(account, deps) ? 1 : 0,
      created_at: now(),
    })
    const hidden =
      trace.is_flagged === 1 ||
      account.is_moderator === 1 ||
      (await countFlags(tx, traceId)) >= FLAGS_TO_HIDE
    if (recorded) await updateTrace(tx, traceId, { is_flagged: hidden ? 1 : 0, flagged_at: now() })
    return { recorded, hidden }
  })
}
