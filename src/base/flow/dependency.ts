import { messageOf } from '../errors.ts'
import { Circuit, type CircuitOptions } from './circuit.ts'
import { withTimeout } from './time.ts'

export interface DependencyOptions extends Omit<CircuitOptions, 'onStateChange'> {
  /** Called when it stops answering, with the reason, and with undefined when it answers again. */
  readonly onChange?: (failure: string | undefined) => void
}

export type Answer<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  /** It was not asked, because it failed a moment ago. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'late' | 'failed'; readonly error: unknown }

/** Thrown by the work if its failure says nothing about the dependency. */
export class NotItsFault extends Error {
  override readonly name = 'NotItsFault'
}

class Late extends Error {
  override readonly name = 'Late'
}

/**
 * Something outside this process that others do without when it fails: a model, a database of
 * vectors, a service. It is asked within the time that its caller has for it, and after repeated
 * failures it is not asked for a while. Nobody waits twice for what is known to be silent.
 */
export class Dependency {
  readonly #circuit: Circuit
  #failure = ''

  constructor(options: DependencyOptions) {
    const { onChange, ...circuit } = options
    this.#circuit = new Circuit(() => ({
      ...circuit,
      onStateChange: (state) => onChange?.(state === 'open' ? this.#failure : undefined),
    }))
  }

  /**
   * Asks within `ms`; the signal tells the work when nobody waits for it any more. Never rejects.
   * `isFair` says whether an answer that is late tells something about the dependency.
   */
  async ask<Value>(
    work: (signal: AbortSignal) => Promise<Value>,
    ms: number,
    isFair: () => boolean = () => true,
  ): Promise<Answer<Value>> {
    if (this.#circuit.enter() !== undefined) return { kind: 'skipped' }
    const late = new AbortController()
    try {
      const value = await withTimeout(work(late.signal), ms, () => {
        const error = new Late(`no answer within ${Math.round(ms)} ms`)
        late.abort(error)
        throw error
      })
      this.#circuit.succeeded()
      return { kind: 'answer', value }
    } catch (error) {
      const isLate = error instanceof Late
      this.#failure = messageOf(error)
      if (error instanceof NotItsFault || (isLate && !isFair())) this.#circuit.inconclusive()
      else this.#circuit.failed()
      return { kind: isLate ? 'late' : 'failed', error }
    }
  }

  /** Forgets its failures: something has changed, so the next call asks it. */
  reset(): void {
    this.#circuit.succeeded()
  }
}
