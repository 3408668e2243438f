import { once } from 'node:events'
import net from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { aServer } from '../../test/support/a-server.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Backend } from '../fronts/backend.ts'

const MAX_BODY_BYTES = 1_000_000

async function open(backend: Partial<Backend> = {}) {
  const server = await aServer(backend, MAX_BODY_BYTES)
  return {
    /** Announces a body and sends it, or a part of it; returns what the server has answered so far. */
    send: async (body: string, announced = Buffer.byteLength(body)) => {
      const socket = net.connect(server.port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      let answer = ''
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`,
      )
      socket.write(body)
      return () => answer
    },
  }
}

it('refuses a caller who may not call before its body has arrived', async () => {
  const { send } = await open({
    authenticate: async () => {
      throw new GatewayError('UNAUTHENTICATED', 'Who are you?')
    },
  })
  const answer = await send('{', MAX_BODY_BYTES)
  await vi.waitFor(() => expect(answer()).toContain('HTTP/1.1 401'))
})

it('answers with the id of the request when the status does not show the refusal', async () => {
  const { send } = await open({
    authenticate: async () => {
      throw new GatewayError('INVALID_AGENT_ID', 'This key belongs to another agent')
    },
  })
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'ping' })
  const answer = await send(ping)
  await vi.waitFor(() => expect(answer()).toContain('"id":"mine","error"'))
})

it('refuses the slowest of many large bodies, and reads the others', async () => {
  const { send } = await open()
  const large = ' '.repeat(900_000)
  const first = await send(large, MAX_BODY_BYTES)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const others = [await send(large, MAX_BODY_BYTES), await send(large, MAX_BODY_BYTES)]
  await vi.waitFor(() => expect(first()).toContain('HTTP/1.1 503'))
  expect(first()).toContain('send it again')
  const complete = await send(large)
  await vi.waitFor(() => expect(complete()).toContain('Parse error'))
  expect(others.map((answer) => answer()).filter((answer) => answer === '')).toHaveLength(1)
})
