import { randomUUID } from 'node:crypto'
import type { Address, CallEvent, CallOptions, Inbound } from '../gateway/call.ts'
import type { Request } from '../gateway/request.ts'
import { isObject } from '../base/json/json.ts'
import type { World } from './world.ts'

const NO_OPTIONS: CallOptions = {}
/** Makes event ids differ from those of other processes and runs. */
const RUN = randomUUID().slice(0, 8)
let count = 0

/** Makes a call for the chain of a request; `other` is what it sends instead of the request's own. */
export function toInbound(
  request: Omit<Request, 'surface'>,
  operation: string,
  address: Address,
  other: Partial<Pick<Inbound, 'method' | 'params' | 'options'>> = {},
): Inbound {
  const { caller, client, identity, signal } = request
  const { method = request.method, params = request.params, options = NO_OPTIONS } = other
  const event = newEvent(operation)
  return { operation, address, method, params, caller, client, identity, options, signal, event }
}

export function newEvent(operation: string): CallEvent {
  count += 1
  return { id: `${RUN}-${count}`, startedAt: Date.now(), operation }
}

/** Runs a step before the call begins and records its failure like that of a call. */
export async function prepare<Made>(
  request: Request,
  world: World,
  operation: string,
  make: () => Made | Promise<Made>,
): Promise<Made> {
  try {
    return await make()
  } catch (error) {
    const inbound = toInbound(request, operation, { kind: 'exposed', name: operation })
    await world.gateway.ask(inbound, async () => {
      throw error
    })
    throw error
  }
}

/** Uses the `agent_id` argument as the claimed agent; `identify` checks the claim. */
export function withAgentArgument(request: Request): Request {
  const { arguments: values } = request.params
  const named = isObject(values) ? values['agent_id'] : undefined
  if (named === undefined || named === null || named === '') return request
  const agentArgument = typeof named === 'string' ? named : JSON.stringify(named)
  return { ...request, caller: { ...request.caller, agentArgument }, identity: undefined }
}
