import type { Listing, Upstream } from '../gateway/upstream.ts'

/** The members that a wrapper replaces; its getters stay getters. */
export type Changes = Partial<Omit<Upstream, 'name' | 'kind' | 'as'>>

type ToListing = (listing: Listing) => Listing

/**
 * Wraps a server and replaces some members: a wrapper names what it changes, so that nothing else
 * can get lost. `change` applies to every listing of the server, whoever it is for. Each person's
 * view of the server is wrapped in the same way.
 */
export function wrapUpstream(
  upstream: Upstream,
  changesTo: (inner: Upstream) => Changes,
  change?: ToListing,
): Upstream {
  const toListing = change ? once(change) : (listing: Listing) => listing
  const wrap = (inner: Upstream): Upstream =>
    Object.defineProperties(
      passOn(inner, wrap, toListing),
      Object.getOwnPropertyDescriptors(changesTo(inner)),
    )
  return wrap(upstream)
}

/** Changes each listing only once, because indexes recognise a listing by its identity. */
function once(change: ToListing): ToListing {
  const changed = new WeakMap<Listing, Listing>()
  return (before) => {
    const after = changed.get(before) ?? change(before)
    changed.set(before, after)
    return after
  }
}

/** Passes on every member as it is; an optional one only if the server has it. */
function passOn(
  upstream: Upstream,
  wrap: (view: Upstream) => Upstream,
  toListing: ToListing,
): Upstream {
  return {
    name: upstream.name,
    kind: upstream.kind,
    description: upstream.description,
    get status() {
      return upstream.status
    },
    ...(upstream.makesCalls && { makesCalls: true }),
    get restarts() {
      return upstream.restarts
    },
    get connections() {
      return upstream.connections
    },
    get output() {
      return upstream.output
    },
    get listing() {
      return toListing(upstream.listing)
    },
    ...(upstream.listingFor && {
      listingFor: (client) => toListing(upstream.listingFor?.(client) ?? upstream.listing),
    }),
    ...(upstream.as && { as: wrapViews(upstream.as.bind(upstream), wrap) }),
    ...(upstream.credentials && { credentials: upstream.credentials.bind(upstream) }),
    request: async (...args) => upstream.request(...args),
    ...(upstream.answer && { answer: upstream.answer.bind(upstream) }),
    live: async (...args) => toListing(await upstream.live(...args)),
    ...(upstream.refresh && { refresh: upstream.refresh.bind(upstream) }),
    ...(upstream.check && { check: upstream.check.bind(upstream) }),
    watch: async (...args) => upstream.watch(...args),
    release: (...args) => upstream.release(...args),
    suspend: (...args) => upstream.suspend(...args),
    ...(upstream.rootsChanged && { rootsChanged: upstream.rootsChanged.bind(upstream) }),
    ...(upstream.isEmpty && { isEmpty: upstream.isEmpty.bind(upstream) }),
    ...(upstream.rules && { rules: upstream.rules.bind(upstream) }),
    onNotification: (...args) => upstream.onNotification(...args),
    close: async (...args) => upstream.close(...args),
  }
}

/** Returns the same wrapper for the same view. */
function wrapViews(
  viewOf: (person: string) => Upstream,
  wrap: (view: Upstream) => Upstream,
): (person: string) => Upstream {
  const wrapped = new WeakMap<Upstream, Upstream>()
  return (person) => {
    const view = viewOf(person)
    const known = wrapped.get(view) ?? wrap(view)
    wrapped.set(view, known)
    return known
  }
}
