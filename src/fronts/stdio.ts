import type { Readable, Writable } from 'node:stream'
import { LineFramer } from '../protocol/line-framer.ts'
import type { Arrival, Backend } from './backend.ts'
import { Conversation } from './conversation.ts'

export interface StdioFrontOptions {
  readonly backend: Backend
  readonly arrival: Arrival
  readonly maxFrameBytes: number
  readonly input: Readable
  readonly output: Writable
}

/** Serves the one client that started us. Resolves when it closes our input. */
export async function serveStdio(options: StdioFrontOptions): Promise<void> {
  const { backend, arrival, input, output } = options
  const send = (text: string) => void output.write(`${text}\n`)
  const conversation = new Conversation('stdio', backend, arrival, send)
  const framer = new LineFramer((line) => conversation.receive(line), {
    maxBytes: options.maxFrameBytes,
    onOversize: ({ bytes }) => conversation.receive(`{"too large":${bytes}}`),
  })
  input.on('data', (chunk: Buffer) => framer.push(chunk))
  output.on('error', () => input.destroy())
  await new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
  })
  conversation.close()
}
