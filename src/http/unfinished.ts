/** Part of a message that a client is sending. */
export interface UnfinishedMessage {
  /** Notes that this many more bytes have arrived. */
  received(bytes: number): void
  /** Called when the message is complete, or will never be; the next one may begin. */
  close(): void
}

interface Part {
  bytes: number
  readonly isKnown: boolean
  readonly end: () => void
}

/** Not counted of each message, so that ordinary ones cost nothing and are never ended. */
export const MAX_FREE = 16 * 1024
/** How many messages of the largest size may be unfinished at once. */
const MAX_OF_UNKNOWN = 2
const MAX_OF_ALL = 4

/**
 * Bounds the memory that messages take before they are complete. When there is too much, the one
 * that has been silent for longest is ended, so a client that sends gets through beside many that
 * do not. Callers without a credential have a smaller share, which leaves room for the others.
 */
export class Unfinished {
  readonly #maxMessageBytes: number
  /** The one that has been silent for longest is first. */
  readonly #parts = new Set<Part>()
  #bytes = 0
  #unknownBytes = 0

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
  }

  /** `end` must stop the message from arriving; `isKnown` is whether the caller has a credential. */
  begin(isKnown: boolean, end: () => void): UnfinishedMessage {
    const part: Part = { bytes: 0, isKnown, end }
    let free = MAX_FREE
    return {
      received: (bytes) => {
        free -= bytes
        if (free < 0) this.#grow(part, bytes)
      },
      close: () => {
        free = MAX_FREE
        this.#remove(part)
        part.bytes = 0
      },
    }
  }

  #grow(part: Part, bytes: number): void {
    this.#remove(part)
    part.bytes += bytes
    this.#parts.add(part)
    this.#count(part, 1)
    while (this.#unknownBytes > MAX_OF_UNKNOWN * this.#maxMessageBytes) this.#endFirst(isUnknown)
    while (this.#bytes > MAX_OF_ALL * this.#maxMessageBytes) this.#endFirst(() => true)
  }

  #endFirst(accept: (part: Part) => boolean): void {
    for (const part of this.#parts) {
      if (!accept(part)) continue
      this.#remove(part)
      part.end()
      return
    }
  }

  #remove(part: Part): void {
    if (this.#parts.delete(part)) this.#count(part, -1)
  }

  #count({ bytes, isKnown }: Part, sign: 1 | -1): void {
    this.#bytes += sign * bytes
    if (!isKnown) this.#unknownBytes += sign * bytes
  }
}

function isUnknown({ isKnown }: Part): boolean {
  return !isKnown
}
