import type { CallResult } from './call.ts'
import { Flights } from './flights.ts'
import type { Circuits } from './layers/breaker.ts'
import { RetryBudgets } from './layers/retry.ts'
import type { Results } from './results.ts'
import { type Slots, createSlots } from './slots.ts'

/**
 * What layers remember between calls. A reload makes new layers of new settings, so a layer itself
 * keeps nothing: what must outlive it is here, and is forgotten when its server goes.
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
