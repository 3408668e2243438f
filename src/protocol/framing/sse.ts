export interface SseEvent {
  readonly event: string
  readonly data: string
  readonly id?: string
  /** How long to wait before a stream that has ended is opened again. */
  readonly retryMs?: number
}

export function encodeEvent(data: string, event = 'message'): string {
  return `event: ${event}\ndata: ${data}\n\n`
}

/** Reads a `text/event-stream` in linear time: it looks at every byte once. */
export class SseParser {
  readonly #onEvent: (event: SseEvent) => void
  readonly #decoder = new TextDecoder()
  #parts: string[] = []
  #data: string[] = []
  #event = ''
  #id: string | undefined
  #retryMs: number | undefined
  #held = 0

  constructor(onEvent: (event: SseEvent) => void) {
    this.#onEvent = onEvent
  }

  /** The number of characters of the event that is not complete yet. */
  get held(): number {
    return this.#held
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.decode(chunk, { stream: true })
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      if (end === -1) break
      this.#parts.push(text.slice(start, end))
      this.#held += end - start
      const line = this.#parts.length === 1 ? (this.#parts[0] ?? '') : this.#parts.join('')
      this.#parts = []
      this.#line(line.endsWith('\r') ? line.slice(0, -1) : line)
      start = end + 1
    }
    if (start < text.length) this.#parts.push(text.slice(start))
    this.#held += text.length - start
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch()
    if (line.startsWith(':')) return
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const from = line[colon + 1] === ' ' ? colon + 2 : colon + 1
    const value = colon === -1 ? '' : line.slice(from)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id') this.#id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value)
  }

  #dispatch(): void {
    const data = this.#data
    const event = this.#event || 'message'
    this.#data = []
    this.#event = ''
    this.#held = 0
    if (data.length === 0) return
    this.#onEvent({
      event,
      data: data.length === 1 ? (data[0] ?? '') : data.join('\n'),
      ...(this.#id !== undefined && { id: this.#id }),
      ...(this.#retryMs !== undefined && { retryMs: this.#retryMs }),
    })
  }
}
