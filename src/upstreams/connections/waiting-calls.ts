import type { Signal } from '../../base/flow/signal.ts'
import type { Client } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Connection } from './connection.ts'
import type { Scope } from './scopes.ts'

interface WaitingCallsOptions {
  readonly server: string
  readonly max: number
  readonly waitMs: number
}

interface Waiter {
  readonly scope: Scope
  readonly client: Client
  readonly admit: (connection: Connection) => void
  readonly refuse: (error: unknown) => void
}

/** Calls that wait because all connections to a server are busy. */
export class WaitingCalls {
  readonly #options: WaitingCallsOptions
  #waiters: Waiter[] = []

  constructor(options: WaitingCallsOptions) {
    this.#options = options
  }

  async add(scope: Scope, client: Client, signal: Signal): Promise<Connection> {
    if (signal.aborted) throw signal.reason
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
      }
      const refuse = (error: unknown) => {
        stop()
        this.#waiters = this.#waiters.filter((one) => one !== waiter)
        reject(error)
      }
      const admit = (connection: Connection) => (stop(), resolve(connection))
      const waiter: Waiter = { scope, client, admit, refuse }
      const cancel = () => refuse(signal.reason)
      const timer = setTimeout(() => refuse(this.#busy()), this.#options.waitMs)
      signal.addEventListener('abort', cancel, { once: true })
      this.#waiters.push(waiter)
    })
  }

  /** Admits calls in order; a call whose connection is open does not wait for others. */
  admit(obtain: (scope: Scope, client: Client) => Connection | undefined): void {
    if (this.#waiters.length === 0) return
    this.#waiters = this.#waiters.filter(({ scope, client, admit }) => {
      const connection = obtain(scope, client)
      if (connection) admit(connection)
      return connection === undefined
    })
  }

  refuseAll(error: Error): void {
    for (const { refuse } of this.#waiters) refuse(error)
  }

  #busy(): GatewayError {
    const { server, max, waitMs } = this.#options
    const message = `Server '${server}' is busy: all ${max} connections that clients do not share were in use for ${waitMs} ms`
    return new GatewayError('SERVER_BUSY', message, {
      hint: 'Try again later, or raise "max_connections" of the server.',
      reason: 'server_busy',
      inconclusive: true,
    })
  }
}
