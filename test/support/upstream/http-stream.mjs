/** The way back of one HTTP request: one JSON body, or a stream once there is more than one message. */
export class HttpStream {
  #response
  #streaming
  #opened = false
  #ended = false

  constructor(request, response, streaming) {
    this.headers = request.headers
    this.#response = response
    this.#streaming = streaming
  }

  /** For what needs no answer. */
  accept() {
    this.#ended = true
    this.#response.writeHead(202).end()
  }

  open(first = '') {
    if (this.#opened) return
    this.#opened = true
    this.#streaming = true
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
    this.#response.writeHead(200, headers)
    this.#response.flushHeaders()
    if (first) this.#response.write(first)
  }

  send(message) {
    this.raw(JSON.stringify(message))
  }

  raw(text) {
    if (this.#ended) return
    this.open()
    this.#response.write(`event: message\ndata: ${text}\n\n`)
  }

  end(message) {
    this.endRaw(JSON.stringify(message))
  }

  endRaw(text) {
    if (this.#ended) return
    if (this.#streaming) {
      this.raw(text)
      this.#ended = true
      this.#response.end()
      return
    }
    this.#ended = true
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    this.#response.writeHead(200, headers)
    this.#response.end(text)
  }

  cut() {
    this.open(': about to break\n\n')
    setTimeout(() => this.#response.destroy(), 20)
  }

  /** Called when the client goes away before it was answered. */
  onCancel(listener) {
    this.#response.on('close', () => {
      if (!this.#ended) listener()
    })
  }

  /** The same stream for an answer that must not end it. */
  keptOpen() {
    return {
      headers: this.headers,
      send: (message) => this.send(message),
      end: (message) => this.send(message),
      endRaw: (text) => this.raw(text),
      raw: (text) => this.raw(text),
      cut: () => this.cut(),
    }
  }
}
