import type { Duplex } from 'node:stream'
import { type Seen, seeGatewayLine } from './client-messages.ts'
import { cutLines } from './lines.ts'
import { MOVED } from './moved.ts'

export interface RouteHandlers {
  /** A line for the client. */
  readonly pass: (line: Buffer) => void
  /** The gateway asks its clients to leave. */
  readonly moved: (why: string) => void
  /** The connection has ended. */
  readonly lost: () => void
}

/**
 * One connection of a bridge to a gateway, with the requests that are open on it in both directions.
 */
export class Route {
  /** Requests of the client, by their id; with their line where it can be sent again. */
  readonly open = new Map<string, Buffer | undefined>()
  /** Requests of the gateway that the client has not answered yet. */
  readonly asked = new Set<string>()
  /** Whether the gateway ends once everything open is answered. */
  isLeaving = false
  readonly ended: Promise<void>
  /** Whom to tell of an answer, which the client does not get because it had one before. */
  readonly #swallowed = new Map<string, () => void>()
  readonly #stream: Duplex

  constructor(stream: Duplex, { pass, moved, lost }: RouteHandlers) {
    this.#stream = stream
    stream.on(
      'data',
      cutLines((line) => {
        if (line.subarray(0, MOVED.length).equals(MOVED)) return moved(whyOf(line))
        const message = seeGatewayLine(line)
        if (!message || this.#isWanted(message)) pass(line)
        this.endIfDone()
      }),
    )
    stream.on('error', () => undefined)
    this.ended = new Promise((resolve) => {
      stream.once('close', () => {
        lost()
        resolve()
      })
    })
  }

  /** Returns whether more may be written now. */
  write(line: Buffer): boolean {
    return this.#stream.write(line)
  }

  whenWritable(run: () => void): void {
    this.#stream.once('drain', run)
  }

  /** Sends a request that was answered before; resolves with its new answer, which goes nowhere. */
  async repeat(key: string, line: Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#swallowed.set(key, resolve)
      this.write(line)
    })
  }

  setFlowing(isFlowing: boolean): void {
    if (isFlowing) this.#stream.resume()
    else this.#stream.pause()
  }

  endIfDone(): void {
    if (this.isLeaving && this.open.size === 0 && this.asked.size === 0) this.end()
  }

  end(): void {
    this.#stream.end()
  }

  /** Records a message of the gateway; returns whether the client is to get it. */
  #isWanted({ kind, ...message }: Seen): boolean {
    if (!('key' in message)) return true
    const { key } = message
    if (kind === 'request') {
      this.asked.add(key)
      return true
    }
    const swallowed = this.#swallowed.get(key)
    if (swallowed) {
      this.#swallowed.delete(key)
      swallowed()
      return false
    }
    // A gateway that leaves ends the subscriptions that have moved to the next one already.
    return this.open.delete(key) || !this.isLeaving
  }
}

function whyOf(line: Buffer): string {
  return String(JSON.parse(line.toString('utf8'))['why'])
}
