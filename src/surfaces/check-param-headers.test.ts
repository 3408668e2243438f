import { expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import type { Caller } from '../gateway/call.ts'
import { createPolicy } from '../gateway/agents/policy.ts'
import type { Tool } from '../gateway/upstream.ts'
import { checkParamHeaders } from './check-param-headers.ts'

const properties = { region: { type: 'string', 'x-mcp-header': 'Region' }, other: {} }
const tool: Tool = {
  server: 'cloud',
  name: 'start',
  definition: { name: 'start', inputSchema: { type: 'object', properties } },
  readOnly: false,
}

interface Asked {
  readonly args: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly transport?: Caller['transport']
  readonly denied?: boolean
}

async function check({ args, headers = {}, transport = 'http', denied = false }: Asked) {
  const caller: Caller = { transport, credential: undefined, claimedAgent: 'ada' }
  const rules = {
    agents: { ada: { allow: { servers: denied ? [] : ['*'] } } },
    denyOnMissingAgent: false,
  }
  await checkParamHeaders(
    { caller, client: aClient({ era: 'modern', headers }), params: { arguments: args } },
    tool,
    { identify: async () => ({ id: 'ada', proof: 'claim' }), policy: createPolicy(rules, {}) },
  )
}

it('lets a call pass whose headers say what its body says, encoded or not', async () => {
  const plain = { args: { region: 'eu' }, headers: { 'mcp-param-region': 'eu' } }
  await expect(check(plain)).resolves.toBeUndefined()
  const encoded = `=?base64?${Buffer.from('süd').toString('base64')}?=`
  const whole = {
    args: { region: 'Hello' },
    headers: { 'mcp-param-region': '=?base64?SGVsbG8=?=' },
  }
  await expect(check(whole)).resolves.toBeUndefined()
  const foreign = { args: { region: 'süd' }, headers: { 'mcp-param-region': encoded } }
  await expect(check(foreign)).resolves.toBeUndefined()
  await expect(check({ args: { other: 1 } })).resolves.toBeUndefined()
})

it.each([
  ['that contradicts the body', { args: { region: 'eu' }, headers: { 'mcp-param-region': 'us' } }],
  ['that the body does not have', { args: {}, headers: { 'mcp-param-region': 'us' } }],
  ['that is missing', { args: { region: 'eu' } }],
  [
    'whose Base64 lacks its padding',
    { args: { region: 'Hello' }, headers: { 'mcp-param-region': '=?base64?SGVsbG8?=' } },
  ],
  [
    'whose Base64 has other characters',
    { args: { region: 'Hello' }, headers: { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' } },
  ],
])('refuses a header %s', async (_, asked) => {
  await expect(check(asked)).rejects.toMatchObject({ code: -32_020 })
})

it('asks for no headers where there are none, and tells nothing to those who may not call', async () => {
  const args = { region: 'eu' }
  await expect(check({ args, transport: 'stdio' })).resolves.toBeUndefined()
  await expect(check({ args, denied: true })).resolves.toBeUndefined()
})
