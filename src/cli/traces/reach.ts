import { GatewayError } from '../../gateway/errors.ts'
import type { TracesAnswer, TracesConnection } from './connect-traces.ts'
import type { OperationRequest } from './operation.ts'

/** Asks the service; an outage is reported in a sentence. */
export async function reach(
  connection: TracesConnection,
  { method, path, body }: OperationRequest,
): Promise<TracesAnswer> {
  try {
    return await connection.request(method, path, body)
  } catch (error) {
    throw new GatewayError('SERVER_UNAVAILABLE', 'The traces service does not answer', {
      hint: 'See that PORTOLAN_TRACES_URL is right and the service runs (`portolan traces serve`), or unset it to use the embedded one.',
      cause: error,
    })
  }
}
