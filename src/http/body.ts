import type { IncomingMessage, ServerResponse } from 'node:http'
import { RPC } from '../protocol/json-rpc.ts'
import { chunksToText } from '../protocol/framing/chunks-to-text.ts'
import { HttpProblem } from './problem.ts'
import { MAX_FREE, type Unfinished } from './unfinished.ts'

const GIVEN_UP =
  'Too many large requests arrive at once, and this one was the slowest. Nothing was done: send it again.'

/** Reads the bodies of requests, each up to a limit, and all of them within one. */
export class Bodies {
  readonly #maxBytes: number
  readonly #unfinished: Unfinished

  constructor(maxBytes: number, unfinished: Unfinished) {
    this.#maxBytes = maxBytes
    this.#unfinished = unfinished
  }

  /** Throws an `HttpProblem` for a body that is refused; the connection then ends with its answer. */
  read(request: IncomingMessage, response: ServerResponse, isKnown: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const length = Number(request.headers['content-length'] ?? Infinity)
      if (length !== Infinity && length > this.#maxBytes) throw this.#refuse(request, response)
      let chunks: Buffer[] = []
      let size = 0
      // Of most bodies nothing is counted.
      const part =
        length <= MAX_FREE
          ? undefined
          : this.#unfinished.begin(isKnown, () => giveUp(refuse(request, response, 503, GIVEN_UP)))
      const giveUp = (error: Error) => {
        request.removeAllListeners('data')
        part?.close()
        chunks = []
        reject(error)
      }
      request.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > this.#maxBytes) return giveUp(this.#refuse(request, response))
        chunks.push(chunk)
        part?.received(chunk.length)
      })
      request.once('end', () => {
        part?.close()
        resolve(chunksToText(chunks))
      })
      request.once('error', giveUp)
    })
  }

  #refuse(request: IncomingMessage, response: ServerResponse): HttpProblem {
    const message = `The request body is over the limit of ${this.#maxBytes} bytes (listen.maxBodyBytes)`
    return refuse(request, response, 413, message)
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): HttpProblem {
  response.once('finish', () => request.destroy())
  return new HttpProblem(status, RPC.invalidRequest, message)
}
