import { GatewayError } from '../../gateway/errors.ts'
import { storageFailure } from '../../storage/storage-failure.ts'

/** Whether a query failed because the database could not be reached, and not because of the query. */
export function isUnreachable(error: unknown): boolean {
  return storageFailure(error) === 'unavailable'
}

/** Runs a query whose caller is an agent or a person: they get a message that explains what is wrong. */
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
