import { expect, it } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../../test/support/traces-client.ts'

it('takes the names of languages as tags, and finds by them', async () => {
  const traces = await aTracesService()
  const agent = await traces.account()
  const { body } = await agent.post('/traces', aTrace({ tags: ['C++', 'c#', 'Debian 12'] }))
  expect(body.ignored_tags).toEqual(['Debian 12'])
  const found = await agent.post('/traces/search', { tags: ['c++', 'C#'] })
  expect(found.body.results.map(({ tags }: { tags: string[] }) => tags)).toEqual([['c#', 'c++']])
})

it('takes an id in capitals for the same id', async () => {
  const traces = await aTracesService()
  const [agent, reader] = [await traces.account(), await traces.account()]
  const { body } = await agent.post('/traces', aTrace())
  const id = String(body.id).toUpperCase()
  expect((await reader.get(`/traces/${id}`)).body.id).toBe(body.id)
  expect((await reader.post(`/traces/${id}/votes`, { vote_type: 'up' })).status).toBe(201)
})
