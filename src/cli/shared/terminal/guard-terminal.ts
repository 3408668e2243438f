import { visible } from '../../../base/text/visible.ts'

/** From now on this terminal shows control characters in what is printed on it, and obeys none but colours. */
export function guardTerminal(output: NodeJS.WriteStream): void {
  if (!output.isTTY) return
  const write = output.write.bind(output)
  output.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean =>
    Reflect.apply(write, output, [typeof chunk === 'string' ? visible(chunk) : chunk, ...rest])
}

/** A reader such as `head` stops early: the program then ends without a word. */
export function endWithReader(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      // A server has a listener of its own, and shuts down or goes on.
      if (output.listenerCount('error') === 1) process.exit()
    })
}
