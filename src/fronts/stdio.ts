import type { Readable, Writable } from 'node:stream'
import { LineFramer } from '../protocol/framing/line-framer.ts'
import type { Arrival, Backend } from './backend.ts'
import { Conversation } from './conversation.ts'
import type { Front } from './front.ts'

export interface StdioFrontOptions {
  readonly backend: Backend
  readonly arrival: Arrival
  readonly maxFrameBytes: number
  readonly input: Readable
  readonly output: Writable
  /** Names the client's session where the process has several clients. */
  readonly session?: string
  /** Keeps the ids of our requests distinct from those of an earlier connection of the client. */
  readonly idPrefix?: string | undefined
}

export interface StdioFront extends Front {
  /** Resolves when the client closes our input. */
  readonly ended: Promise<void>
  /** What the client calls itself; undefined until it has said so. */
  readonly clientName: string | undefined
}

/** With more than this left to read, the client is not heard before it has read. */
const MAX_UNREAD = 1024 * 1024

/**
 * Serves the one client that started us.
 *
 * @example
 * ```ts
 * const front = serveStdio({
 *   backend: app.backend,
 *   arrival, // transport 'stdio', and who the environment says is calling
 *   maxFrameBytes: app.config.settings.listen.maxBodyBytes,
 *   input: process.stdin,
 *   output: process.stdout,
 * })
 * await front.ended
 * ```
 */
export function serveStdio(options: StdioFrontOptions): StdioFront {
  const { backend, arrival, input, output, session = 'stdio', idPrefix } = options
  const send = (text: string) => {
    output.write(`${text}\n`)
    if (output.writableLength < MAX_UNREAD || input.isPaused()) return
    input.pause()
    output.once('drain', () => input.resume())
  }
  const conversation = new Conversation({ id: session, backend, arrival, send, idPrefix })
  const framer = new LineFramer((line) => conversation.receive(line), {
    maxBytes: options.maxFrameBytes,
    onOversize: (oversize) => conversation.tooLarge(oversize, options.maxFrameBytes),
  })
  input.on('data', (chunk: Buffer) => framer.push(chunk))
  output.on('error', () => input.destroy())
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
  }).then(() => conversation.close())
  return {
    ended,
    balanced: false,
    get clientName() {
      return conversation.clientName
    },
    inFlight: () => conversation.inFlight,
    endSubscriptions: () => conversation.endSubscriptions(),
    async close() {
      conversation.close()
      // The last answers may not have been written yet.
      await new Promise<void>((resolve) => void output.write('', () => resolve()))
    },
  }
}
