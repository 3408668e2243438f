import type { Duplex, Readable, Writable } from 'node:stream'
import { GatewayError } from '../gateway/errors.ts'
import { type Seen, seeClientLine } from './client-messages.ts'
import { ClientSession } from './client-session.ts'
import { cutLines } from './lines.ts'
import { STOPPED } from './moved.ts'
import { Route } from './route.ts'

export interface BridgeOptions {
  readonly input: Readable
  readonly output: Writable
  /** The connection to the gateway that the bridge has joined. */
  readonly first: Duplex
  /**
   * Opens a connection to another gateway. `connections` is how many the bridge had; `isUnstable`
   * says that too many of them were lost.
   */
  readonly reconnect: (connections: number, isUnstable: boolean) => Promise<Duplex>
}

/** A gateway that ends more often than this within the time is not started again. */
const MAX_LOSSES = 3
const LOSSES_WITHIN_MS = 60_000

/** What the client waits for as long as it listens, so that it can be sent to the next gateway. */
const LISTEN = 'subscriptions/listen'

/**
 * Relays the messages of one client to a gateway and back, byte for byte. When the gateway ends or
 * sends it away, the bridge opens the client's session at another one.
 */
export class Bridge {
  readonly #options: BridgeOptions
  readonly #session = new ClientSession()
  readonly #routes = new Set<Route>()
  /** Lines of the client that wait for a gateway. */
  #waiting: Buffer[] = []
  #current: Route | undefined
  #isConnecting = false
  #connections = 1
  #losses: number[] = []
  /** Requests of lost gateways, whose answers go nowhere. */
  readonly #orphans = new Set<string>()
  #hasEnded = false
  #finish: () => void = () => undefined
  /** Resolves when the client has left and everything for it is written. */
  readonly ended: Promise<void>

  constructor(options: BridgeOptions) {
    this.#options = options
    this.ended = new Promise((resolve) => (this.#finish = resolve))
    this.#current = this.#open(options.first)
    const { input, output } = options
    input.on(
      'data',
      cutLines((line) => this.#fromClient(line)),
    )
    input.once('end', () => this.#end())
    input.once('close', () => this.#end())
    // Nobody reads the answers any more.
    output.on('error', () => input.destroy())
  }

  #open(stream: Duplex): Route {
    const route: Route = new Route(stream, {
      pass: (line) => this.#toClient(line, route),
      moved: (why) => this.#moved(route, why),
      lost: () => this.#lost(route),
    })
    this.#routes.add(route)
    return route
  }

  #toClient(line: Buffer, route?: Route): void {
    const { output } = this.#options
    if (output.write(line) || !route) return
    route.setFlowing(false)
    output.once('drain', () => route.setFlowing(true))
  }

  #fromClient(line: Buffer): void {
    const messages = seeClientLine(line)
    for (const message of messages) this.#session.note(message, line)
    const [message] = messages
    if (message?.kind === 'answer' && this.#orphans.delete(message.key)) return
    const route = this.#routeOf(message)
    if (!route) {
      this.#waiting.push(line)
      this.#options.input.pause()
      void this.#connect()
    } else this.#send(route, line, messages)
  }

  /** A message about a request goes where that request is; any other to the current gateway. */
  #routeOf(message: Seen | undefined): Route | undefined {
    const of = (key: string, name: 'asked' | 'open') =>
      [...this.#routes].find((route) => route[name].has(key))
    if (message?.kind === 'answer') return of(message.key, 'asked') ?? this.#current
    if (message?.kind === 'notification' && message.cancels !== undefined)
      return of(message.cancels, 'open') ?? this.#current
    return this.#current
  }

  #send(route: Route, line: Buffer, messages: readonly Seen[]): void {
    for (const { kind, ...message } of messages) {
      if (kind === 'request' && 'method' in message && 'key' in message) {
        const isRepeatable = message.method === LISTEN || message.method === 'initialize'
        route.open.set(message.key, isRepeatable ? line : undefined)
      } else if (kind === 'answer' && 'key' in message) route.asked.delete(message.key)
    }
    if (!route.write(line)) {
      this.#options.input.pause()
      route.whenWritable(() => this.#options.input.resume())
    }
    route.endIfDone()
  }

  /** The gateway finishes what it works on; everything else goes to the next one. */
  #moved(route: Route, why: string): void {
    route.isLeaving = true
    const moving = takeRepeatable(route)
    this.#waiting.unshift(...moving)
    if (this.#current === route) this.#current = undefined
    if (why !== STOPPED || this.#waiting.length > 0) void this.#connect()
    route.endIfDone()
  }

  #lost(route: Route): void {
    this.#routes.delete(route)
    if (this.#hasEnded) return this.#finishIfDone()
    const repeatable = takeRepeatable(route)
    for (const key of route.open.keys()) this.#toClient(failure(key))
    for (const key of route.asked) {
      this.#orphans.add(key)
      this.#toClient(cancellation(key))
    }
    if (this.#current !== route) return
    this.#current = undefined
    this.#waiting.unshift(...repeatable)
    this.#losses.push(performance.now())
    void this.#connect()
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#current || this.#hasEnded) return
    this.#isConnecting = true
    try {
      const stream = await this.#options.reconnect(this.#connections++, this.#isUnstable())
      if (this.#hasEnded) return void stream.destroy()
      const route = this.#open(stream)
      if (!(await this.#setUp(route))) return
      this.#current = route
      const waiting = this.#waiting
      this.#waiting = []
      for (const line of waiting) this.#send(route, line, seeClientLine(line))
    } finally {
      this.#isConnecting = false
      this.#options.input.resume()
    }
    // A gateway that ended while its session was set up was not the current one yet.
    if (!this.#current) await this.#connect()
  }

  /** Opens the client's session at a new gateway; returns whether the connection lasted. */
  async #setUp(route: Route): Promise<boolean> {
    const { handshake, initialized, setUp } = this.#session
    // A handshake that was not answered is among the lines that wait.
    if (!handshake || this.#waiting.includes(handshake.line)) return true
    await Promise.race([route.repeat(handshake.key, handshake.line), route.ended])
    if (!this.#routes.has(route)) return false
    if (initialized) route.write(initialized)
    for (const { key, line } of setUp) void route.repeat(key, line)
    return true
  }

  #isUnstable(): boolean {
    const since = performance.now() - LOSSES_WITHIN_MS
    this.#losses = this.#losses.filter((at) => at > since)
    return this.#losses.length >= MAX_LOSSES
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const route of this.#routes) route.end()
    this.#finishIfDone()
  }

  #finishIfDone(): void {
    // What was written last may still be on its way to the client.
    if (this.#routes.size === 0) this.#options.output.write('', () => this.#finish())
  }
}

/** Takes the requests that the next gateway can answer as well; their lines are sent again. */
function takeRepeatable({ open }: Route): Buffer[] {
  return [...open].flatMap(([key, line]) => {
    if (line === undefined) return []
    open.delete(key)
    return [line]
  })
}

function failure(key: string): Buffer {
  const error = new GatewayError(
    'SERVER_UNAVAILABLE',
    'The gateway ended while it worked on this request',
    {
      hint: 'Another gateway has taken over: ask again. Whether the request was carried out is not known, so look first before you repeat what changes something.',
      retryAfterMs: 1000,
    },
  )
  const content = { code: error.rpcCode, message: error.message, data: error.toObject() }
  return Buffer.from(`{"jsonrpc":"2.0","id":${key},"error":${JSON.stringify(content)}}\n`)
}

/** Tells the client that nobody waits for its answer any more. */
function cancellation(key: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${key},"reason":"The gateway that asked has ended"}}\n`,
  )
}
