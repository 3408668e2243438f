import { expect, it } from 'vitest'
import { openToy } from '../../../test/settings/open-toy.ts'

it.each([
  [{}, true],
  [{ servers: ['toy'] }, true],
  [{ servers: null, tools: null }, true],
  [{ servers: [] }, false],
  [{ servers: '' }, false],
  [{ tools: {} }, false],
  [{ tools: { toy: [] } }, false],
])('limits a handle with %j', async (limits, mayCall) => {
  const toy = await openToy({})
  const { secret } = await toy.app.keys.create('ada')
  const answer = await toy.call('mint_handle', { name: 'sub', ...limits }, { credential: secret })
  const { handle } = JSON.parse(answer)
  const called = await toy.call('echo', { text: 'hello' }, { credential: handle })
  expect(called).toBe(mayCall ? 'hello' : 'DENIED_BY_POLICY')
})
