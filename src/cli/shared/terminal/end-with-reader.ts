/** A reader such as `head` stops early: the program then ends without a word. */
export function endWithReader(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      // A server has a listener of its own, and shuts down or goes on.
      if (output.listenerCount('error') === 1) process.exit()
    })
}
