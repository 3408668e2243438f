import {
  type Agent,
  type CallResult,
  type Caller,
  type Identified,
  type Inbound,
  toIdentified,
} from '../call.ts'
import type { Layer } from '../pipeline.ts'

/** Knows who a caller is; throws a `GatewayError` when it is nobody who may call. */
export interface AgentDirectory {
  /** Answers at once where it can: only a credential seen for the first time may need to wait. */
  readonly identify: (caller: Caller) => Promise<Agent> | Agent
}

export function identify(directory: AgentDirectory): Layer<Inbound, Identified, CallResult> {
  return (next) => async (call) => {
    const found = directory.identify(call.caller)
    const agent = found instanceof Promise ? await found : found
    call.event.agent = agent.id
    if (agent.ancestors) call.event.ancestors = agent.ancestors
    return next(toIdentified(call, agent))
  }
}
