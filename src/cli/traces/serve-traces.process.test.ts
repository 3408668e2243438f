import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { serveTraces } from './serve-traces.ts'

async function aServer() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port }: AddressInfo = Object(server.address())
  return { port, sockets }
}

it('closes everything when its port is taken, so that the process ends', async () => {
  const [redis, taken] = [await aServer(), await aServer()]
  const env = {
    PORTOLAN_HOME: tempFolder().path,
    PORTOLAN_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
  }
  const options = { host: '127.0.0.1', port: taken.port, version: '1' }
  await expect(serveTraces(env, options)).rejects.toThrow('EADDRINUSE')
  const opened = redis.sockets.length
  expect(opened).toBeGreaterThan(0)
  for (const socket of redis.sockets) socket.destroy()
  await sleep(2_000)
  expect(redis.sockets).toHaveLength(opened)
})

it('says what is wrong with a port', async () => {
  const { code, stderr } = await runCli(tempFolder(), ['traces', 'serve', '--port', 'eighty'])
  expect(stderr).toContain('It must be a whole number from 0 to 65535.')
  expect(stderr).not.toContain('    at ')
  expect(code).toBe(1)
})

it('says which variables of CommonTrace it read, and which it leaves to the application', async () => {
  const { port } = await aServer()
  const { stderr } = await runCli(tempFolder(), ['traces', 'serve', '--port', String(port)], {
    VALIDATION_THRESHOLD: '3',
    DATABASE_URL: 'postgres://127.0.0.1/app',
  })
  expect(stderr).toContain('Reads the variables of CommonTrace: VALIDATION_THRESHOLD.')
  expect(stderr).toContain('DATABASE_URL. For Portolan, set PORTOLAN_DATABASE_URL.')
})
