import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { GatewayError } from '../errors.ts'

interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: Canceller
  callers: number
}

/**
 * Single flight: callers who want the same thing at the same time share one request. A caller that
 * cancels gets an error at once; the request itself is aborted when its last caller has cancelled.
 */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>()

  async join(key: string, signal: Signal, send: (signal: Signal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw toCancelError(signal)
    const flight = this.#flights.get(key) ?? this.#start(key, send)
    flight.callers++
    return new Promise<T>((resolve, reject) => {
      const cancel = () => {
        reject(toCancelError(signal))
        if (--flight.callers > 0) return
        // A new caller must not join a request that is being aborted.
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
        flight.controller.abort(signal.reason)
      }
      signal.addEventListener('abort', cancel, { once: true })
      flight.result.finally(() => signal.removeEventListener('abort', cancel)).then(resolve, reject)
    })
  }

  #start(key: string, send: (signal: Signal) => Promise<T>): Flight<T> {
    const controller = new Canceller()
    const result = send(controller.signal).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    })
    const flight: Flight<T> = { result, controller, callers: 0 }
    this.#flights.set(key, flight)
    return flight
  }
}

function toCancelError(signal: Signal): unknown {
  return signal.reason instanceof Error
    ? signal.reason
    : new GatewayError('CANCELLED', 'The call was cancelled.', { cause: signal.reason })
}
