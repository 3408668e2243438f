import { expect, it, vi } from 'vitest'
import { execute } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'

vi.setConfig({ testTimeout: 120_000 })

it('tries rules on what was recorded, and proposes those that just fit', async () => {
  const gateway = await openGateway({
    servers: { real: stdioUpstream() },
    rules: { agents: { ada: { allow: { servers: ['*'] }, deny: { tools: { real: ['crash'] } } } } },
  })
  const client = await gateway.connect({ headers: { 'x-agent-id': 'ada' } })
  await execute(client, 'real', 'echo', { text: 'one' })
  await execute(client, 'real', 'echo', { text: 'two' })
  await execute(client, 'real', 'crash', {})
  await gateway.close()

  const suggested = await runBuilt(gateway.folder, ['rules', 'suggest'])
  expect(JSON.parse(suggested.stdout)).toEqual({
    agents: { ada: { allow: { servers: ['real'], tools: { real: ['echo'] } } } },
    defaults: { deny_on_missing_agent: true },
  })
  gateway.folder.write('draft.json', suggested.stdout)
  const same = await runBuilt(gateway.folder, ['rules', 'replay', 'draft.json', '--fail'])
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('all as before') })

  gateway.folder.write('strict.json', '{"agents":{"ada":{"allow":{"servers":["other"]}}}}')
  const strict = await runBuilt(gateway.folder, [
    'rules',
    'replay',
    'strict.json',
    '--fail',
    '--json',
  ])
  expect(strict.code).toBe(1)
  expect(JSON.parse(strict.stdout)).toMatchObject({
    calls: 3,
    newly_denied: 2,
    newly_allowed: 0,
    differences: [{ agent: 'ada', server: 'real', tool: 'echo', calls: 2, now: 'deny' }],
  })
})
