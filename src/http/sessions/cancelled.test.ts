import { expect, it, vi } from 'vitest'
import { aServer } from '../../../test/support/a-server.ts'
import { onAbort } from '../../base/flow/signal.ts'

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'a', version: '1' },
}

it('ends the stream of a request that its client cancelled, without an answer', async () => {
  const asked = vi.fn()
  const { port } = await aServer({
    handle: async ({ signal }) =>
      new Promise((_, reject) => {
        asked()
        onAbort(signal, () => reject(signal.reason))
      }),
  })
  const post = async (message: object, session?: string) =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const opened = await post({ id: 0, method: 'initialize', params: INITIALIZE })
  const session = opened.headers.get('mcp-session-id') ?? ''
  const calling = post({ id: 1, method: 'tools/call', params: { name: 'slow' } }, session)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  await post({ method: 'notifications/cancelled', params: { requestId: 1 } }, session)
  const answer = await calling
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(await answer.text()).toBe('')
})
