import { expect, it } from 'vitest'
import { anEvent } from '../../../test/support/a-call.ts'
import { createFeed } from '../../telemetry/feed.ts'
import { CallTally } from './open-service.ts'

it('counts for the servers that report their health, and no others', () => {
  const feed = createFeed()
  const tally = new CallTally()
  tally.follow(feed)
  const health = tally.of('api')
  for (const server of ['api', 'api', 'made up', undefined])
    feed.record(anEvent({ cache: 'hit', ...(server !== undefined && { server }) }))
  expect(health.cache()).toMatchObject({ hits: 2, misses: 0 })
  expect(tally.of('made up').cache()).toMatchObject({ hits: 0 })
})
