import type { RequestId } from '../json-rpc.ts'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const EDGE = 512

export interface Oversize {
  readonly bytes: number
  /** The first and last part of the line, where the id of the message usually stands. */
  readonly head: string
  readonly tail: string
}

/** The edges of a message that is too large to be parsed. */
export function edgesOf(text: string): Oversize {
  return { bytes: text.length, head: text.slice(0, EDGE), tail: text.slice(-EDGE) }
}

/** What is known of a message that was not read. */
export interface Envelope {
  readonly id: RequestId | undefined
  readonly isAnswer: boolean
}

const ID = String.raw`"id"\s*:\s*(?:(?<number>\d{1,15})|"(?<text>[^"\\]*)")`
const ID_AT_START = new RegExp(ID)
/** Followed only by other members of the message itself, not of its content. */
const ID_AT_END = new RegExp(
  String.raw`${ID}(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"]*")*\s*\}\s*$`,
)
const CONTENT = /"(?:params|result|error)"/
const ANSWER = /^\s*\{(?:\s*"(?:jsonrpc|id)"\s*:\s*(?:\d+|"[^"]*")\s*,)*\s*"(?:result|error)"/

/** Finds the id of a message by its edges; ids further in may belong to its content. */
export function envelopeOf({ head, tail }: Oversize): Envelope {
  const [start = ''] = head.split(CONTENT)
  const { number, text } = (ID_AT_START.exec(start) ?? ID_AT_END.exec(tail))?.groups ?? {}
  const id = number === undefined ? text : Number(number)
  return { id, isAnswer: ANSWER.test(head) }
}

/**
 * Cuts a byte stream into lines in linear time, whatever the chunk size. A line over the limit is
 * skipped and reported, and the stream goes on: one huge message must not cost the connection.
 */
export class LineFramer {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onOversize: (oversize: Oversize) => void
  #parts: Buffer[] = []
  #size = 0
  #skipped: { bytes: number; head: string; tail: Buffer } | undefined

  constructor(
    onLine: (line: string) => void,
    options: { maxBytes: number; onOversize: (oversize: Oversize) => void },
  ) {
    this.#onLine = onLine
    this.#maxBytes = options.maxBytes
    this.#onOversize = options.onOversize
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      if (end === -1) break
      this.#take(chunk.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    if (start < chunk.length) this.#take(chunk.subarray(start))
  }

  #take(part: Buffer): void {
    if (this.#skipped) {
      this.#skipped.bytes += part.length
      this.#skipped.tail = Buffer.concat([this.#skipped.tail, part.subarray(-EDGE)]).subarray(-EDGE)
      return
    }
    this.#parts.push(part)
    this.#size += part.length
    if (this.#size <= this.#maxBytes) return
    const whole = Buffer.concat(this.#parts, this.#size)
    this.#skipped = {
      bytes: this.#size,
      head: whole.toString('utf8', 0, EDGE),
      tail: Buffer.from(whole.subarray(-EDGE)),
    }
    this.#clear()
  }

  #endLine(): void {
    if (this.#skipped) {
      const { bytes, head, tail } = this.#skipped
      this.#skipped = undefined
      this.#onOversize({ bytes, head, tail: tail.toString('utf8') })
      return
    }
    const first = this.#parts[0]
    if (first === undefined) return
    const whole = this.#parts.length === 1 ? first : Buffer.concat(this.#parts, this.#size)
    this.#clear()
    const length = whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length
    if (length > 0) this.#onLine(whole.toString('utf8', 0, length))
  }

  #clear(): void {
    this.#parts = []
    this.#size = 0
  }
}
