import { expect, it } from 'vitest'
import { websocketAt, chooseTransport } from './choose-transport.ts'

it('speaks stdio when nothing is said', () => {
  expect(chooseTransport({}, {})).toEqual({ kind: 'stdio' })
  expect(chooseTransport({}, { MCP_TRANSPORT: '' })).toEqual({ kind: 'stdio' })
})

it.each([
  ['streamable-http', 'streamable-http'],
  ['http-sse', 'streamable-http'],
  ['WebSocket', 'websocket'],
])('reads MCP_TRANSPORT=%s as %s', (value, kind) => {
  const env = { MCP_TRANSPORT: value, MCP_PORT: '8000', MCP_HOST: '::1', MCP_PATH: '/api' }
  expect(chooseTransport({}, env)).toEqual({ kind, port: 8000, host: '::1', path: '/api' })
})

it('listens on loopback unless told otherwise', () => {
  expect(chooseTransport({ port: 0 }, {})).toEqual({
    kind: 'streamable-http',
    port: 0,
    host: '127.0.0.1',
    path: '/mcp',
  })
})

it('takes empty variables as unset', () => {
  const env = { MCP_TRANSPORT: 'http', MCP_PORT: '', MCP_HOST: '', MCP_PATH: '' }
  expect(chooseTransport({}, env, 8000)).toEqual({
    kind: 'streamable-http',
    port: 8000,
    host: '127.0.0.1',
    path: '/mcp',
  })
})

it('lets flags beat the environment', () => {
  const env = { MCP_TRANSPORT: 'stdio', MCP_PORT: '8000' }
  expect(chooseTransport({ transport: 'ws', port: 9000 }, env)).toMatchObject({
    kind: 'websocket',
    port: 9000,
  })
})

it.each([
  [
    { MCP_TRANSPORT: 'pigeon' },
    'Invalid MCP_TRANSPORT: pigeon. Valid values: stdio, streamable-http, websocket',
  ],
  [
    { MCP_TRANSPORT: 'websocket' },
    'MCP_PORT environment variable required for websocket transport',
  ],
  [{ MCP_TRANSPORT: 'http-sse', MCP_PORT: '80' }, 'Invalid MCP_PORT: 80'],
  [{ MCP_TRANSPORT: 'http-sse', MCP_PORT: 'x' }, 'Invalid MCP_PORT: x'],
])('refuses %o with the message of the contract', (env, message) => {
  expect(() => chooseTransport({}, env)).toThrow(message)
})

it('takes the usual port of a server that has one, unless another is named', () => {
  const env = { MCP_TRANSPORT: 'websocket' }
  expect(chooseTransport({}, env, 8000)).toMatchObject({ kind: 'websocket', port: 8000 })
  expect(chooseTransport({}, { ...env, MCP_PORT: '9000' }, 8000)).toMatchObject({ port: 9000 })
  expect(() => chooseTransport({}, { ...env, MCP_PORT: '80' }, 8000)).toThrow(
    'Invalid MCP_PORT: 80',
  )
})

it('names the address of a WebSocket, and of nothing else', () => {
  const at = { host: '127.0.0.1', port: 3000, path: '/mcp' }
  const url = 'http://127.0.0.1:3000'
  expect(websocketAt({ kind: 'websocket', ...at }, url)).toBe(
    ', WebSocket at ws://127.0.0.1:3000/mcp',
  )
  expect(websocketAt({ kind: 'streamable-http', ...at }, url)).toBe('')
})
