import { readFileSync } from 'node:fs'

/** How many files, sockets and pipes this process may have open; undefined where the system does not say. */
function mostDescriptors(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/**
 * The most connections a server may accept: half of what may be open, so that clients cannot use up
 * what files, child processes and other servers need. Node would never load a module again that it
 * could not open once.
 */
export function mostConnections(descriptors = mostDescriptors()): number {
  return descriptors === undefined ? Infinity : Math.max(1, Math.floor(descriptors / 2))
}
