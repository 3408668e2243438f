import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { freePort } from '../free-port.ts'

const EVERYTHING = join(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)

/** Without this, it would listen on every address of the machine. */
const ON_LOOPBACK = `import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (port, ...more) {
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...more)
}`

/** The published server of 2025-11-25 over HTTP, whose tasks belong to their session. */
export async function startEverything(): Promise<{
  readonly url: string
  readonly child: ChildProcess
}> {
  const port = await freePort()
  const preload = `data:text/javascript,${encodeURIComponent(ON_LOOPBACK)}`
  const child = spawn('node', ['--import', preload, EVERYTHING, 'streamableHttp'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PORT: String(port) },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stderr }), 'line')
  return { url: `http://127.0.0.1:${port}/mcp`, child }
}
