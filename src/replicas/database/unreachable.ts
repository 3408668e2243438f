import { GatewayError } from '../../gateway/errors.ts'
import { storageFailure } from '../../storage/storage-failure.ts'

/** Whether a query failed because the database was unreachable, not because of the query itself. */
export function isUnreachable(error: unknown): boolean {
  return storageFailure(error) === 'unavailable'
}

/** Runs a query for an agent or a person: an unreachable database becomes a clear error. */
export async function readable<Value>(query: () => Promise<Value>): Promise<Value> {
  try {
    return await query()
  } catch (error) {
    throw isUnreachable(error) ? unreachable(error) : error
  }
}

export function unreachable(cause: unknown): GatewayError {
  return new GatewayError('SERVER_UNAVAILABLE', 'The database cannot be reached', {
    hint: 'Nothing was changed. Try again in a moment: the gateway continues as soon as the database answers.',
    reason: 'database_down',
    cause,
  })
}
