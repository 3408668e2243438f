import type { Soon } from '../../base/flow/soon.ts'
import { beginningOf } from '../../base/text/detached.ts'
import {
  type Agent,
  type CallEvent,
  type CallResult,
  type Caller,
  type Client,
  type Identified,
  type Inbound,
} from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { agentOf } from '../request.ts'

/** Identifies callers; throws a `GatewayError` for one that may not call. */
export interface AgentDirectory {
  /**
   * Synchronous where possible: only a credential seen for the first time may need to wait. The
   * name of the client proves nothing, but names callers that say nothing else.
   */
  readonly identify: (caller: Caller, client?: Pick<Client, 'info'>) => Soon<Agent>
}

/** The longest client name in an event, as clients choose it. */
const MAX_NAME_LENGTH = 80

/**
 * Finds out which agent calls, and records it.
 *
 * ```yaml
 * # portolan.yaml
 * auth: { required: true, defaultAgent: guest }
 * ```
 */
export function identify(directory: AgentDirectory): Layer<Inbound, Identified, CallResult> {
  return (next) => {
    const sendOn = (call: Inbound, agent: Agent) => {
      note(agent, call.event)
      return next(Object.assign(call, { agent }))
    }
    return (call) => {
      const name = call.client.info?.['name']
      if (typeof name === 'string') call.event.client = beginningOf(name, MAX_NAME_LENGTH)
      const found = agentOf(call, directory)
      return found instanceof Promise
        ? found.then((agent) => sendOn(call, agent))
        : sendOn(call, found)
    }
  }
}

function note({ id, ancestors, client, person }: Agent, event: CallEvent): void {
  event.agent = id
  if (ancestors) event.ancestors = ancestors
  if (client !== undefined) event.client = beginningOf(client, MAX_NAME_LENGTH)
  if (person) {
    event.user = person.user
    event.groups = person.groups
  }
}
