import { expect, it } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { auditOf } from '../support/audit-of.ts'
import { call, refusal } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

it('a call is recorded for what it was, also when it was refused in band or could not begin', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream(), secret: stdioUpstream() },
    rules: {
      agents: {
        reader: { allow: { servers: ['*'] }, deny: { servers: ['secret'] } },
        guest: { allow: { servers: ['notes'] } },
      },
    },
  })
  const store = createFileKeyStore(identityFiles(gateway.folder.file('data')).keys)
  const { secret } = await store.create('guest')
  const client = await gateway.connect({ headers: { 'x-agent-id': 'reader' } })
  await call(client, 'get_server_tools', { server: 'secret' })
  await call(client, 'execute_tool', { tool: 'echo' })
  await refusal(client.request('prompts/get', { name: 'no_such_prompt' }))
  await refusal(client.request('tools/call', { name: 7 }))
  const spoofing = { authorization: `Bearer ${secret}` }
  await refusal(gateway.connect({ headers: { ...spoofing, 'x-agent-id': 'admin' } }))
  await refusal(gateway.connect({ headers: { authorization: 'Bearer ptk_made-up' } }))
  await expect.poll(() => auditOf(gateway).length).toBe(6)
  expect(auditOf(gateway)).toMatchObject([
    {
      operation: 'get_server_tools',
      decision: 'DENY',
      metadata: {
        server: 'secret',
        outcome: 'DENIED_BY_POLICY',
        reason: 'server_not_allowed',
        rule: 'agents.reader.deny.servers[0]',
      },
    },
    { operation: 'execute_tool', decision: 'ERROR', metadata: { outcome: 'INVALID_PARAMS' } },
    { operation: 'prompts/get', agent_id: 'reader', decision: 'ERROR' },
    { operation: 'tools/call', agent_id: 'reader', decision: 'ERROR' },
    { operation: 'authenticate', decision: 'DENY', metadata: { outcome: 'INVALID_AGENT_ID' } },
    { operation: 'authenticate', decision: 'DENY', metadata: { outcome: 'UNAUTHENTICATED' } },
  ])
})
