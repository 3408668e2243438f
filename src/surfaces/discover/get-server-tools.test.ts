import { expect, it } from 'vitest'
import { openToy } from '../../../test/settings/open-toy.ts'

it('hides a tool that the agent may not use as if there were none', async () => {
  const rules = {
    agents: { ada: { allow: { servers: ['toy'], tools: { toy: ['echo', 'rows'] } } } },
  }
  const toy = await openToy({}, { rules })
  const asked = { server: 'toy', names: ['meet', 'meett', 'ecko'] }
  const answer = await toy.call('get_server_tools', asked, { agent: 'ada' })
  expect(JSON.parse(answer)).toEqual({
    tools: [],
    server: 'toy',
    total_available: 2,
    returned: 0,
    tokens_used: 0,
    unknown_names: ['meet', 'meett', "ecko: Did you mean 'echo'?"],
    error: null,
  })
})
