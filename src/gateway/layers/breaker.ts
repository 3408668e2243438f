import type { Authorized, CallResult } from '../call.ts'
import { Circuit, type CircuitOptions, type CircuitState } from '../../base/circuit.ts'
import { GatewayError } from '../errors.ts'
import { verdictOf } from '../outage.ts'
import type { Layer } from '../pipeline.ts'

export type Turned = 'open' | 'closed'

/** What replicas tell each other about servers; no more than hints, each finds out for itself. */
export interface Hints {
  tell(upstream: string, state: Turned): void
  /** The latest to follow is the one that hears. */
  follow(listener: (upstream: string, state: Turned) => void): void
}

/** The circuits of all upstreams; kept apart from the layer so that status and metrics can read them. */
export class Circuits {
  readonly #circuits = new Map<string, Circuit>()
  readonly #options: () => CircuitOptions
  readonly #hints: Hints | undefined

  /** Options are asked for each time, so that a reload can change them. */
  constructor(options: () => CircuitOptions, hints?: Hints) {
    this.#options = options
    this.#hints = hints
    hints?.follow((upstream, state) => this.#hear(upstream, state))
  }

  of(upstream: string): Circuit {
    const known = this.#circuits.get(upstream)
    if (known) return known
    const hints = this.#hints
    const onTurn = hints && ((state: Turned) => hints.tell(upstream, state))
    const circuit = new Circuit(() => ({ ...this.#options(), onTurn }))
    this.#circuits.set(upstream, circuit)
    return circuit
  }

  #hear(upstream: string, state: Turned): void {
    if (state === 'open') this.of(upstream).warn()
    else this.#circuits.get(upstream)?.encourage()
  }

  states(): Record<string, CircuitState> {
    return Object.fromEntries([...this.#circuits].map(([name, circuit]) => [name, circuit.state]))
  }

  /** For an upstream that was removed or given other settings. */
  forget(upstream: string): void {
    this.#circuits.delete(upstream)
  }
}

/**
 * Outside `deadline`, whose timeouts it counts, and outside `share`: while it is open nobody waits for
 * a slot. Time that a call spent there is no failure of the server (`verdictOf`).
 */
export function breaker(circuits: Circuits): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const circuit = circuits.of(call.upstream.name)
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
      else circuit.abandoned()
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
