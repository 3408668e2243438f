import { z } from 'zod'
import { limit } from '../inputs.ts'
import { Refusal } from '../refusal.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import { toLiveCall } from '../to-call.ts'

export function callRoutes({ feed }: Pick<Sources, 'feed'>): Route[] {
  const query = z.object({ limit: limit(500, 100) })
  return [
    defineRoute('GET /calls', {
      role: 'viewer',
      query,
      answer: ({ query: { limit: most = 100 } }) => ({
        calls: feed.recent().slice(-most).toReversed().map(toLiveCall),
      }),
    }),
    defineRoute('GET /calls/stream', {
      role: 'viewer',
      answer() {
        // Answered before it comes here; the route says who may ask.
        throw new Refusal(500, 'INTERNAL_ERROR', 'The stream of calls is not an answer')
      },
    }),
  ]
}
