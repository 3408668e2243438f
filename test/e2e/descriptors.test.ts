import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DESCRIPTORS = 120

/** A gateway that may open only so many files, and its port. */
async function scarceGateway(): Promise<number> {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: {} })
  const line = `ulimit -n ${DESCRIPTORS}; exec '${process.execPath}' '${MAIN}' serve --port 0`
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: folder.path,
    env: gatewayEnv(folder),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  for await (const said of createInterface({ input: child.stderr })) {
    const port = /^portolan listening on http:\/\/[^:]+:(\d+)/.exec(said)?.[1]
    if (port !== undefined) return Number(port)
  }
  throw new Error('it ended before it listened')
}

async function connect(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** The status of an answer on a connection that stays open. */
async function statusOf(socket: net.Socket, path: string): Promise<number> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  const [head] = await once(socket, 'data')
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1])
}

it.runIf(process.platform === 'linux')(
  'leaves descriptors for everything else, however many clients connect',
  async () => {
    const port = await scarceGateway()
    const before = await connect(port)
    const crowd = await Promise.all(Array.from({ length: 200 }, async () => connect(port)))
    const closed = () => crowd.filter((socket) => socket.closed).length
    await expect.poll(closed).toBeGreaterThan(200 - DESCRIPTORS / 2)
    expect(await statusOf(before, '/health'), 'what has to be loaded first').toBe(200)
    for (const socket of crowd) socket.destroy()
    await expect.poll(async () => statusOf(await connect(port), '/health')).toBe(200)
  },
)
