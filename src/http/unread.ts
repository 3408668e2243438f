import type { Socket } from 'node:net'

/** A client with less than this to read is up to date. */
const MAX_BEHIND = 1024 * 1024
/** What all clients together may have left to read; several times the largest answer. */
const MAX_UNREAD = 256 * 1024 * 1024
const MAX_SILENT_MS = 60_000

/**
 * Bounds what clients were sent and have not read, which waits in our memory. A client that reads
 * nothing for a minute is ended, and the one that has been behind for longest if there is too much.
 */
export class Unread {
  /** The sockets of clients that are behind, the one that has been for longest first. */
  readonly #behind = new Map<Socket, Promise<void>>()
  readonly #maxBytes: number

  constructor(maxBytes = MAX_UNREAD) {
    this.#maxBytes = maxBytes
  }

  /**
   * Must be called after each write. Returns a promise while the client is behind, so that the
   * caller can stop reading what it asks for; it resolves when the client is up to date or gone.
   */
  after(socket: Socket | null): Promise<void> | undefined {
    if (!socket || socket.writableLength < MAX_BEHIND) return undefined
    const known = this.#behind.get(socket)
    const reading = known ?? this.#follow(socket)
    let excess = -this.#maxBytes
    for (const one of this.#behind.keys()) excess += one.writableLength
    for (const one of this.#behind.keys()) {
      if (excess <= 0) break
      excess -= one.writableLength
      one.destroy()
    }
    return reading
  }

  #follow(socket: Socket): Promise<void> {
    const reading = new Promise<void>((resolve) => {
      const end = () => void socket.destroy()
      const { timeout = 0 } = socket
      const settle = () => {
        this.#behind.delete(socket)
        socket.off('drain', settle).off('close', settle).off('timeout', end)
        // Node sets its own when a response ends.
        if (socket.timeout === MAX_SILENT_MS) socket.setTimeout(timeout)
        resolve()
      }
      // Progress of a large write counts too.
      socket.setTimeout(MAX_SILENT_MS).on('timeout', end).on('drain', settle).on('close', settle)
    })
    this.#behind.set(socket, reading)
    return reading
  }
}

/** What the clients of this process have not read. */
export const unread = new Unread()
