import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Transform } from 'node:stream'
import { TransportError } from '../failures.ts'
import { createDecoder, encodingOf } from './create-decoder.ts'
import type { Signal } from '../../base/flow/signal.ts'

export interface Progress {
  /** Ends the request, or its answer. */
  readonly signal: Signal | undefined
  /** Status and headers have arrived. */
  started(): void
  /** No answer has come, and none will. */
  failed(error: unknown): void
}

/** Receives a body, and then one of `end` and `failed`. */
export interface BodyReader {
  data(chunk: Buffer): void
  end(): void
  failed(error: unknown): void
}

/** The most bytes of a body that wait for a reader. */
const MAX_HELD = 65_536
/** The most bytes of a body that nobody needs; a longer one ends with its connection. */
const MAX_DISCARDED = 1_048_576

type Controller = Dispatcher.DispatchController

/**
 * The answer to one request, from its head on. The body is decompressed, and waits until it is read
 * or discarded.
 */
export class HttpResponse implements Dispatcher.DispatchHandler {
  status = 0
  headers: IncomingHttpHeaders = {}
  readonly #progress: Progress
  #controller: Controller | undefined
  #encoding: string | undefined
  #decoder: Transform | undefined
  #reader: BodyReader | undefined
  #held: Buffer[] = []
  #heldBytes = 0
  /** How the body ended, if it has. */
  #ended: { readonly error?: unknown } | undefined
  readonly #cancelled = () => this.stop(this.#progress.signal?.reason)

  constructor(progress: Progress) {
    this.#progress = progress
    progress.signal?.addEventListener('abort', this.#cancelled, { once: true })
  }

  /** Passes the body to its reader; the part that has arrived at once. */
  read(reader: BodyReader): void {
    for (const chunk of this.#held) reader.data(chunk)
    this.#held = []
    this.#reader = reader
    if (this.#ended) return settle(reader, this.#ended)
    this.#decoder?.resume()
    if (this.#controller?.paused) this.#controller.resume()
  }

  /** For an answer whose body nobody needs; its connection is free when it has arrived. */
  discard(): void {
    let size = 0
    this.read({
      data: (chunk) => {
        size += chunk.length
        if (size > MAX_DISCARDED) this.stop(new TransportError('it sent more than is needed'))
      },
      end: () => undefined,
      failed: () => undefined,
    })
  }

  /** Ends the request, and its connection with it. */
  stop(reason: unknown): void {
    const error = reason instanceof Error ? reason : new Error('stopped', { cause: reason })
    this.#fail(error)
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Error('stopped before it was sent'))
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    // An interim answer, such as 103, precedes the real one.
    if (status < 200 || this.#ended) return
    this.status = status
    this.headers = headers
    this.#encoding = encodingOf(headers['content-encoding'])
    this.#progress.started()
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#ended) return
    if (this.#encoding === undefined) return this.#receive(chunk)
    // Not before there is a body: an empty one is no valid compressed data.
    this.#decoder ??= this.#openDecoder(controller, this.#encoding)
    if (this.#decoder?.write(chunk) === false) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#end({})
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    this.#fail(error)
  }

  #openDecoder(controller: Controller, encoding: string): Transform | undefined {
    const decoder = createDecoder(encoding)
    if (!decoder) {
      this.stop(new TransportError(`its answer has the encoding '${encoding}', which is not known`))
      return undefined
    }
    decoder.on('data', (chunk: Buffer) => this.#receive(chunk))
    decoder.on('drain', () => controller.resume())
    decoder.on('end', () => this.#end({}))
    decoder.on('error', (cause) =>
      this.stop(new TransportError('its answer cannot be decompressed', { cause })),
    )
    return decoder
  }

  #receive(chunk: Buffer): void {
    if (this.#ended) return
    if (this.#reader) return this.#reader.data(chunk)
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes <= MAX_HELD) return
    if (this.#decoder) this.#decoder.pause()
    else this.#controller?.pause()
  }

  #fail(error: unknown): void {
    if (this.#ended) return
    this.#decoder?.destroy()
    this.#end({ error })
    if (this.status === 0) this.#progress.failed(error)
  }

  #end(ended: { readonly error?: unknown }): void {
    if (this.#ended) return
    this.#ended = ended
    this.#progress.signal?.removeEventListener('abort', this.#cancelled)
    if (this.#reader) settle(this.#reader, ended)
  }
}

function settle(reader: BodyReader, ended: { readonly error?: unknown }): void {
  if ('error' in ended) reader.failed(ended.error)
  else reader.end()
}
