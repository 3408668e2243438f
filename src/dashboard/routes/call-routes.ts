import { z } from 'zod'
import { limit } from '../inputs.ts'
import { type Route, defineRoute } from '../route.ts'
import { isTraffic } from '../../telemetry/ledger.ts'
import type { Sources } from '../sources.ts'
import { toLiveCall } from '../views/to-call.ts'

export function callRoutes({ feed }: Pick<Sources, 'feed'>): Route[] {
  const query = z.object({ limit: limit(500, 100) })
  return [
    defineRoute('GET /calls', {
      role: 'viewer',
      query,
      answer: ({ query: { limit: most = 100 } }) => ({
        calls: feed.recent().filter(isTraffic).slice(-most).toReversed().map(toLiveCall),
      }),
    }),
  ]
}
