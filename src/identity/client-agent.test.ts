import { expect, it } from 'vitest'
import { agentOfClient } from './client-agent.ts'

// What these clients send in `clientInfo`.
it.each([
  ['claude-code', 'claude-code'],
  ['claude-ai', 'claude-desktop'],
  ['codex-mcp-client', 'codex'],
  ['gemini-cli-mcp-client-portolan', 'gemini'],
  ['Cursor', 'cursor'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['opencode', 'opencode'],
  ['claude-code (via mcp-remote 0.1.29)', 'claude-code'],
  ['My own App 2!', 'my-own-app-2'],
  ['../../etc', 'etc'],
  [`x${'y'.repeat(1000)}`, `x${'y'.repeat(39)}`],
])('%s is the agent %s', (client, agent) => {
  expect(agentOfClient(client)).toBe(agent)
})

it('is nobody without a name', () => {
  expect(agentOfClient(undefined)).toBeUndefined()
  expect(agentOfClient('')).toBeUndefined()
  expect(agentOfClient('日本語')).toBeUndefined()
})
