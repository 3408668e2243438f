import { randomUUID } from 'node:crypto'
import type { Address, CallEvent, Inbound, CallOptions } from '../gateway/call.ts'
import type { Request } from '../gateway/request.ts'
import type { JsonObject } from '../base/json.ts'

export interface InboundParts {
  readonly operation: string
  readonly address: Address
  readonly method?: string
  readonly params?: JsonObject
  readonly options?: CallOptions
}

const NO_OPTIONS: CallOptions = {}
/** Unlike those of other processes and runs. */
const RUN = randomUUID().slice(0, 8)
let count = 0

export function toInbound(request: Request, parts: InboundParts): Inbound {
  const { caller, client, signal } = request
  const { operation, address, method = request.method, params = request.params } = parts
  return {
    operation,
    address,
    method,
    params,
    caller,
    client,
    options: parts.options ?? NO_OPTIONS,
    signal,
    event: newEvent(operation),
  }
}

export function newEvent(operation: string): CallEvent {
  count += 1
  return { id: `${RUN}-${count}`, startedAt: Date.now(), operation }
}
