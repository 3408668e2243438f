import type { CallResult } from './call.ts'
import { Flights } from './state/flights.ts'
import type { Circuits } from './layers/breaker.ts'
import { RetryBudgets } from './layers/retry.ts'
import type { Results } from './state/results.ts'
import { type Slots, createSlots } from './state/slots.ts'

/**
 * What layers remember between calls. A reload makes new layers from new settings, so layers have
 * no state of their own: it is here, and is dropped when its server is removed or changed.
 */
export class GatewayState {
  readonly circuits: Circuits
  readonly results: Results
  readonly flights = new Flights<CallResult>()
  readonly retryBudgets = new RetryBudgets()
  readonly #slots = new Map<string, Slots>()

  constructor({ circuits, results }: Pick<GatewayState, 'circuits' | 'results'>) {
    this.circuits = circuits
    this.results = results
  }

  slotsOf(server: string): Slots {
    const known = this.#slots.get(server)
    if (known) return known
    const slots = createSlots()
    this.#slots.set(server, slots)
    return slots
  }

  /** For a server that was removed, or replaced by one with other settings. */
  forget(server: string): void {
    this.circuits.forget(server)
    this.retryBudgets.forget(server)
    this.#slots.delete(server)
    void this.results.forget(server)
  }
}
