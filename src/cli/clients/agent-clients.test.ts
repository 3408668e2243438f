import { expect, it } from 'vitest'
import { clientOf } from './clients.ts'

it('reads and writes the entries of Kimi Code, which fills in no variables', () => {
  const { read, entry } = clientOf('kimi')
  expect(read?.({ command: 'k', disabledTools: ['rm'], toolTimeoutMs: 5_000 })).toEqual({
    command: 'k',
    disabled_tools: ['rm'],
    timeout_ms: 5_000,
  })
  const url = 'http://127.0.0.1:7411/mcp'
  expect(read?.({ transport: 'sse', url, bearerTokenEnvVar: 'MY_KEY' })).toEqual({
    type: 'sse',
    url,
    headers: { Authorization: 'Bearer ${MY_KEY}' },
  })
  expect(entry({ kind: 'http', url, key: 'MY_KEY' })).toEqual({ url, bearerTokenEnvVar: 'MY_KEY' })
  const stdio = { kind: 'stdio', command: 'portolan', args: [], env: {} } as const
  expect(entry({ ...stdio, key: 'PORTOLAN_KEY' })).toEqual({ command: 'portolan', args: [] })
  expect(entry({ ...stdio, key: 'MY_KEY' })).toContain('PORTOLAN_KEY')
})
