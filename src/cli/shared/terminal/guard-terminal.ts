import { visible } from '../../../base/text/visible.ts'

/** Guarded terminals, each with the stream that still obeys control characters. */
const unguarded = new WeakMap<NodeJS.WriteStream, NodeJS.WriteStream>()

/** Makes control characters other than colours visible in everything printed from now on. */
export function guardTerminal(output: NodeJS.WriteStream): void {
  if (!output.isTTY) return
  const write = output.write.bind(output)
  unguarded.set(output, Object.create(output, { write: { value: write } }))
  output.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean =>
    Reflect.apply(write, output, [typeof chunk === 'string' ? visible(chunk) : chunk, ...rest])
}

/** Returns the stream for prompts and progress bars; text of others needs `visible` there. */
export function drawingOn(output: NodeJS.WriteStream): NodeJS.WriteStream {
  return unguarded.get(output) ?? output
}

/** Ends the program silently if a reader such as `head` stops early. */
export function endWithReader(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      // A server has its own listener, and shuts down or continues.
      if (output.listenerCount('error') === 1) process.exit()
    })
}
