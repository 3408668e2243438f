import { expect, it } from 'vitest'
import { COPIES } from './copy-as.ts'

const CALL = {
  server: 'my-files',
  tool: 'read',
  agent: 'ada',
  args: `{\n  "path": "it's",\n  "n": 12345678901234567890\n}`,
  endpoint: 'http://127.0.0.1:7411/mcp',
}

it('quotes for a shell, and keeps the digits of numbers', () => {
  expect(COPIES['portolan call']?.(CALL)).toBe(
    String.raw`portolan call --url http://127.0.0.1:7411/mcp my-files__read '{ "path": "it'\''s", "n": 12345678901234567890 }' --agent ada`,
  )
})

it('names servers in scripts that are no words', () => {
  expect(COPIES['script']?.({ ...CALL, args: '{}' })).toBe(
    'return await tools["my-files"].read({})',
  )
})

it('asks with curl as a client without a session', () => {
  const text = COPIES['curl']?.({ ...CALL, agent: null }) ?? ''
  expect(text).toContain(`-H 'mcp-name: my-files__read'`)
  expect(text).toContain('"n": 12345678901234567890')
  expect(text).not.toContain('x-agent-id')
})
