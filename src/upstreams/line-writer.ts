import type { Writable } from 'node:stream'

/**
 * Writes lines to a child. While many calls are in flight, those of one turn of the event loop go
 * out together: one system call for many requests. A single call does not wait for a turn to end.
 */
export function createLineWriter(stream: Writable, isBusy: () => boolean): (line: string) => void {
  let waiting = ''
  function flush(): void {
    const text = waiting
    waiting = ''
    stream.write(text)
  }
  return (line) => {
    if (waiting === '') {
      if (!isBusy()) {
        stream.write(`${line}\n`)
        return
      }
      setImmediate(flush)
    }
    waiting += `${line}\n`
  }
}
