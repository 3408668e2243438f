import { readFileSync } from 'node:fs'

/** The most files, sockets and pipes this process may open; undefined if unknown. */
function mostDescriptors(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/**
 * The most connections a server may accept: half of the descriptors of this process, so that files,
 * child processes and other servers have the rest. Node never retries a module that it once failed
 * to open.
 */
export function mostConnections(descriptors = mostDescriptors()): number {
  return descriptors === undefined ? Infinity : Math.max(1, Math.floor(descriptors / 2))
}
