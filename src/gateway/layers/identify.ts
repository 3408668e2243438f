import { beginningOf } from '../../base/text/detached.ts'
import {
  type Agent,
  type CallEvent,
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

/** The longest client name in an event, as clients choose it. */
const MAX_NAME_LENGTH = 80

export function identify(directory: AgentDirectory): Layer<Inbound, Identified, CallResult> {
  return (next) => {
    const goOn = (call: Inbound, agent: Agent) => {
      note(agent, call.event)
      return next(toIdentified(call, agent))
    }
    return (call) => {
      const { clientName } = call.caller
      if (clientName !== undefined) call.event.client = beginningOf(clientName, MAX_NAME_LENGTH)
      const found = directory.identify(call.caller)
      return found instanceof Promise ? found.then((agent) => goOn(call, agent)) : goOn(call, found)
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
