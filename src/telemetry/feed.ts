import type { CallEvent } from '../gateway/call.ts'

export type FeedListener = (event: Readonly<CallEvent>) => void

export interface Feed {
  record(event: Readonly<CallEvent>): void
  /** Returns the newest events, oldest first. */
  recent(): Readonly<CallEvent>[]
  /** Calls `listener` with each event from now on; returns a function that stops it. */
  listen(listener: FeedListener): () => void
}

/** Keeps the last `size` events and passes each event to the listeners. */
export function createFeed(size = 500): Feed {
  const ring: Readonly<CallEvent>[] = []
  const listeners = new Set<FeedListener>()
  let next = 0

  return {
    record(event) {
      ring[next] = event
      next = (next + 1) % size
      for (const listener of listeners) listener(event)
    },
    recent: () => [...ring.slice(next), ...ring.slice(0, next)],
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
