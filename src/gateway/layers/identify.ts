import {
  type Agent,
  type CallResult,
  type Caller,
  type Identified,
  type Inbound,
  toIdentified,
} from '../call.ts'
import type { Layer } from '../pipeline.ts'

/** Identifies callers; throws a `GatewayError` for one that may not call. */
export interface AgentDirectory {
  /** Synchronous where possible: only a credential seen for the first time may need to wait. */
  readonly identify: (caller: Caller) => Promise<Agent> | Agent
}

/** Of a client's name in an event: clients choose it. */
const LONGEST_NAME = 80

export function identify(directory: AgentDirectory): Layer<Inbound, Identified, CallResult> {
  return (next) => async (call) => {
    const { clientName } = call.caller
    if (clientName !== undefined) call.event.client = clientName.slice(0, LONGEST_NAME)
    const found = directory.identify(call.caller)
    const agent = found instanceof Promise ? await found : found
    call.event.agent = agent.id
    if (agent.ancestors) call.event.ancestors = agent.ancestors
    if (agent.client !== undefined) call.event.client = agent.client.slice(0, LONGEST_NAME)
    if (agent.person) {
      call.event.user = agent.person.user
      call.event.groups = agent.person.groups
    }
    return next(toIdentified(call, agent))
  }
}
