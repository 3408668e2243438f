import type { Writable } from 'node:stream'

/**
 * Writes lines to a child, all of one turn of the event loop at once: under load that is one system
 * call for many requests, and alone it costs no time that could be noticed.
 */
export function createLineWriter(stream: Writable): (line: string) => void {
  let waiting = ''
  function flush(): void {
    const text = waiting
    waiting = ''
    stream.write(text)
  }
  return (line) => {
    if (waiting === '') setImmediate(flush)
    waiting += `${line}\n`
  }
}
