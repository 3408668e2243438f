import { Canceller, type Signal } from '../base/signal.ts'
import { GatewayError } from './errors.ts'

interface Flight<T> {
  readonly result: Promise<T>
  readonly controller: Canceller
  passengers: number
}

/**
 * Lets callers who want the same thing at the same time share one request. One who leaves gets an
 * error at once and disturbs nobody; the request is aborted when the last one has left.
 */
export class Flights<T> {
  readonly #flights = new Map<string, Flight<T>>()

  async join(key: string, signal: Signal, start: (signal: Signal) => Promise<T>): Promise<T> {
    if (signal.aborted) throw leaving(signal)
    const flight = this.#flights.get(key) ?? this.#depart(key, start)
    flight.passengers++
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(leaving(signal))
        if (--flight.passengers > 0) return
        // Whoever comes now must not board a request that is being aborted.
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
        flight.controller.abort(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      flight.result.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject)
    })
  }

  #depart(key: string, start: (signal: Signal) => Promise<T>): Flight<T> {
    const controller = new Canceller()
    const result = start(controller.signal).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    })
    const flight: Flight<T> = { result, controller, passengers: 0 }
    this.#flights.set(key, flight)
    return flight
  }
}

function leaving(signal: Signal): unknown {
  return signal.reason instanceof Error
    ? signal.reason
    : new GatewayError('CANCELLED', 'The call was cancelled.', { cause: signal.reason })
}
