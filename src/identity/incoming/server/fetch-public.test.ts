import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createFetchPublic } from './fetch-public.ts'

/** Counts who connects, and answers nobody. */
async function aListener() {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { port, connections: () => connections }
}

it('gets nothing from a private address, and nothing without TLS', async () => {
  const { port, connections } = await aListener()
  const get = createFetchPublic()
  await expect(get(`https://127.0.0.1:${port}/client.json`)).rejects.toThrow('private address')
  await expect(get(`https://localhost:${port}/client.json`)).rejects.toThrow('private address')
  await expect(get(new Request(`https://[::1]:${port}/`))).rejects.toThrow('private address')
  await expect(get(`http://127.0.0.1:${port}/`)).rejects.toThrow('not an https address')
  expect(connections()).toBe(0)
})

it.each([
  ['with its port', (port: number) => [`127.0.0.1:${port}`]],
  ['without one', () => ['127.0.0.1']],
])('connects to a private host that the settings name %s, and to no other', async (_, hosts) => {
  const { port, connections } = await aListener()
  const get = createFetchPublic({ privateHosts: hosts(port ?? 0) })
  await expect(get(`https://127.0.0.1:${port}/`)).rejects.not.toThrow('private address')
  expect(connections()).toBeGreaterThan(0)
  const before = connections()
  await expect(get(`https://localhost:${port}/`)).rejects.toThrow('private address')
  expect(connections()).toBe(before)
})
