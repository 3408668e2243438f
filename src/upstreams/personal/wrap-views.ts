import type { Upstream } from '../../gateway/upstream.ts'

/** For a wrapper of servers: what each person has of the server is wrapped in the same way. */
export function wrapViews(
  upstream: Upstream,
  wrap: (view: Upstream) => Upstream,
): Pick<Upstream, 'as'> {
  if (!upstream.as) return {}
  const wrapped = new WeakMap<Upstream, Upstream>()
  return {
    as(person) {
      const view = upstream.as?.(person) ?? upstream
      const known = wrapped.get(view) ?? wrap(view)
      wrapped.set(view, known)
      return known
    },
  }
}
