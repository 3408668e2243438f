import { AGENT_CLIENTS, CLAUDE_CODE } from './agent-clients.ts'
import type { ClientId, McpClient } from './client.ts'
import { EDITOR_CLIENTS } from './editor-clients.ts'

/** Every known client, in the order in which their servers are taken. */
export const CLIENTS: readonly McpClient[] = [CLAUDE_CODE, ...EDITOR_CLIENTS, ...AGENT_CLIENTS]

export function clientOf(id: ClientId): McpClient {
  const found = CLIENTS.find((client) => client.id === id)
  if (!found) throw new Error(`no client ${id}`)
  return found
}
