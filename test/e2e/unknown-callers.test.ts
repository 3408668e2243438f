import { expect, it } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

it('the audit has one line for a list that an unknown caller asks for, and one for that of an agent', async () => {
  const servers = { notes: stdioUpstream() }
  const rules = { agents: { reader: { allow: { servers: ['*'] } } } }
  const gateway = await openGateway({ servers, rules })
  const unknown = await gateway.connect({ query: '' })
  const reader = await gateway.connect({ query: '', headers: { 'x-agent-id': 'reader' } })
  for (const client of [unknown, reader])
    for (const method of ['tools/list', 'prompts/list']) await client.request(method)
  const lists = () =>
    auditOf(gateway).map(({ operation, agent_id, decision }) => [operation, agent_id, decision])
  await expect.poll(lists).toEqual([
    ['tools/list', expect.not.stringMatching('reader'), 'ALLOW'],
    ['prompts/list', expect.not.stringMatching('reader'), 'ALLOW'],
    ['tools/list', 'reader', 'ALLOW'],
    ['prompts/list', 'reader', 'ALLOW'],
  ])
})
