import type { Authorized, CallResult } from '../call.ts'
import {
  Circuit,
  type CircuitChange,
  type CircuitOptions,
  type CircuitState,
} from '../../base/flow/circuit.ts'
import { GatewayError } from '../errors.ts'
import { verdictOf } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import { stateKeyOf } from '../upstream.ts'

/** What replicas report to each other about servers: hints only, each replica checks for itself. */
export interface Hints {
  report(upstream: string, state: CircuitChange): void
  /** Replaces the previous listener. */
  subscribe(listener: (upstream: string, state: CircuitChange) => void): void
}

/** The circuits of all upstreams, outside the layer so that status and metrics can read them. */
export class Circuits {
  readonly #circuits = new Map<string, Circuit>()
  readonly #options: () => CircuitOptions
  readonly #hints: Hints | undefined

  /** Options are read on every use, so that a reload can change them. */
  constructor(options: () => CircuitOptions, hints?: Hints) {
    this.#options = options
    this.#hints = hints
    hints?.subscribe((upstream, state) => this.#apply(upstream, state))
  }

  of(upstream: string): Circuit {
    const known = this.#circuits.get(upstream)
    if (known) return known
    const hints = this.#hints
    const onStateChange = hints && ((state: CircuitChange) => hints.report(upstream, state))
    const circuit = new Circuit(() => ({ ...this.#options(), onStateChange }))
    this.#circuits.set(upstream, circuit)
    return circuit
  }

  #apply(upstream: string, state: CircuitChange): void {
    if (state === 'open') this.of(upstream).expectFailure()
    else this.#circuits.get(upstream)?.allowProbe()
  }

  states(): Record<string, CircuitState> {
    return Object.fromEntries([...this.#circuits].map(([name, circuit]) => [name, circuit.state]))
  }

  /** Drops the circuit of an upstream that was removed or given other settings. */
  forget(upstream: string): void {
    this.#circuits.delete(upstream)
  }
}

/**
 * Outside `deadline`, whose timeouts it counts, and outside `concurrency`: while it is open no call
 * waits for a slot. Waiting in that queue does not count as a failure of the server (`verdictOf`).
 *
 * ```yaml
 * # portolan.yaml
 * breaker: { failures: 3 }
 * ```
 */
export function breaker(circuits: Circuits): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const circuit = circuits.of(stateKeyOf(call.upstream))
    const waitMs = circuit.enter()
    if (waitMs !== undefined) throw isOpen(call.upstream.name, waitMs)
    try {
      const result = await next(call)
      circuit.succeeded()
      return result
    } catch (error) {
      const verdict = call.signal.aborted ? 'none' : verdictOf(error)
      if (verdict === 'outage') circuit.failed()
      else if (verdict === 'answer') circuit.succeeded()
      else circuit.inconclusive()
      throw error
    }
  }
}

function isOpen(upstream: string, waitMs: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new GatewayError(
    'CIRCUIT_OPEN',
    `Server '${upstream}' is temporarily disabled after repeated failures. Try again in ${seconds} s.`,
    {
      hint: 'Use another server until then, or ask get_gateway_status whether it works again.',
      retryAfterMs: Math.ceil(waitMs),
    },
  )
}
