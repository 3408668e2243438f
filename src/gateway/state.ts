import { getOrMake } from '../base/maps.ts'
import type { Authorized, CallResult } from './call.ts'
import { Flights } from './state/flights.ts'
import { FutileCalls } from './state/futile-calls.ts'
import type { Circuits } from './layers/breaker.ts'
import { RetryBudgets } from './layers/retry.ts'
import type { Results } from './state/results.ts'
import { type Slots, createSlots } from './state/slots.ts'
import type { Tasks } from './tasks/tasks.ts'
import { stateKeyOf } from './upstream.ts'

/**
 * The state of layers between calls. A reload creates new layers from new settings, so their state
 * is here; it is dropped when its server is removed or changed. Servers are named by `stateKeyOf`.
 */
export class GatewayState {
  readonly circuits: Circuits
  readonly results: Results
  readonly tasks: Tasks
  readonly flights = new Flights<CallResult>()
  readonly retryBudgets = new RetryBudgets()
  readonly futile = new FutileCalls()
  readonly #slots = new Map<string, Slots>()

  constructor({ circuits, results, tasks }: Pick<GatewayState, 'circuits' | 'results' | 'tasks'>) {
    this.circuits = circuits
    this.results = results
    this.tasks = tasks
  }

  slotsOf(server: string): Slots {
    return getOrMake(this.#slots, server, createSlots)
  }

  /** Drops stored results when a call that may have changed something outlived its request. */
  readonly staleAfter = ({ tool, upstream }: Authorized): void => {
    if (tool && !tool.readOnly) void this.results.forget(stateKeyOf(upstream))
  }

  /** Drops the state of a server that was removed, or replaced by one with other settings. */
  forget(server: string): void {
    this.circuits.forget(server)
    this.retryBudgets.forget(server)
    this.#slots.delete(server)
    void this.results.forget(server)
  }
}
