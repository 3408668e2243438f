import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { converse } from '../../src/local/connect.ts'
import { runFolderOf } from '../../src/local/run-folder.ts'
import type { Attack, Field } from './report.ts'
import { MAIN } from './rig.ts'

const run = promisify(execFile)
/** The user that owns nothing. */
const NOBODY = 65_534
const SECRET = 'only-for-the-gateway'

/** Somebody tries to be, or to use, the gateway that the clients of a person share. */
export const sharedGateway: Attack = {
  name: 'somebody else at the shared gateway',
  async run(field) {
    await attackRunning(field)
    await attackBefore(field)
  },
}

/** What can be tried while the person's gateway runs. */
async function attackRunning(field: Field): Promise<void> {
  const home = new Home()
  const client = await home.join()
  await client.isServed()
  const { socket } = home
  await field.try('only its owner may read or write in the folder of the socket', () => {
    const { mode, uid } = lstatSync(home.run)
    return (mode & 0o077) === 0 && uid === process.getuid?.()
  })
  await field.try('nobody else may read the token, or write to the socket', () =>
    ['token', 'gateway.sock'].every((name) => (lstatSync(join(home.run, name)).mode & 0o077) === 0),
  )
  for (const [name, token] of [
    ['forged', 'a'.repeat(64)],
    ['empty', ''],
  ] as const)
    await field.try(`a client with a token that is ${name} is refused`, async () => {
      const found = await converse({ socket, token }, { ask: 'status', params: {} }).catch(
        () => undefined,
      )
      return found === undefined
    })
  await field.try('a client that proves nothing is told nothing', async () => {
    const lines = await tell(socket, [
      '{"portolan":{"protocols":[1]},"nonce":"x"}',
      '{"proof":"x","ask":"status"}',
    ])
    return lines.length === 1 && !lines.join('').includes('clients')
  })
  await field.try('MCP without a handshake gets no answer', async () => {
    const lines = await tell(socket, ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}'])
    return !lines.join('').includes('jsonrpc')
  })
  await field.try('a line without an end is not read for long', async () => {
    const lines = await tell(socket, ['x'.repeat(100_000)])
    return lines.length === 0
  })
  if (process.getuid?.() === 0)
    await field.try('another user cannot reach it', async () => {
      const { stdout } = await run(process.execPath, ['--eval', CONNECT, socket], { uid: NOBODY })
      return stdout.includes('EACCES')
    })
  await field.try('the gateway serves its client after all that', async () => client.isServed())
  await client.end()
  await home.discard()
}

/** What can be prepared before the person's gateway runs. */
async function attackBefore(field: Field): Promise<void> {
  await tryWith(field, 'a socket that was planted learns nothing of the client', async (home) => {
    mkdirSync(home.run, { recursive: true, mode: 0o700 })
    const heard: string[] = []
    const planted = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        heard.push(chunk.toString())
        socket.write('{"portolan":{"protocol":1,"kind":"serve"},"nonce":"x","proof":"y"}\n')
      })
      socket.on('error', () => undefined)
    })
    planted.listen(home.socket)
    await once(planted, 'listening')
    const client = await home.join()
    const isServed = await client.isServed()
    await client.end()
    planted.close()
    return isServed && heard.length > 0 && !heard.join('').includes(SECRET)
  })
  await tryWith(field, 'a folder that is a link is not used', async (home) => {
    const elsewhere = join(home.path, 'elsewhere')
    mkdirSync(elsewhere, { mode: 0o700 })
    mkdirSync(join(home.path, 'data'), { mode: 0o700 })
    symlinkSync(elsewhere, home.run)
    const client = await home.join()
    const isServed = await client.isServed()
    await client.end()
    return isServed && !existsSync(join(elsewhere, 'gateway.sock'))
  })
  await tryWith(field, 'a folder that others may write to is not used', async (home) => {
    mkdirSync(home.run, { recursive: true })
    chmodSync(home.run, 0o777)
    const client = await home.join()
    const isServed = await client.isServed()
    await client.end()
    return isServed && !existsSync(home.socket)
  })
  await tryWith(field, 'a token that others may read is not used', async (home) => {
    mkdirSync(home.run, { recursive: true, mode: 0o700 })
    writeFileSync(join(home.run, 'token'), 'a'.repeat(64), { mode: 0o644 })
    const client = await home.join()
    const isServed = await client.isServed()
    await client.end()
    return isServed && !existsSync(home.socket)
  })
  await tryWith(field, 'a file in the place of the socket is replaced', async (home) => {
    mkdirSync(home.run, { recursive: true, mode: 0o700 })
    writeFileSync(home.socket, '')
    const client = await home.join()
    const isServed = await client.isServed()
    await client.end()
    return isServed && lstatSync(home.socket).isSocket()
  })
}

async function tryWith(
  field: Field,
  name: string,
  holds: (home: Home) => Promise<boolean>,
): Promise<void> {
  const home = new Home()
  await field.try(name, async () => holds(home))
  await home.discard()
}

/** Prints the code of the error of a connection. */
const CONNECT = `require('net').connect(process.argv[1]).on('error', (e) => console.log(e.code)).on('connect', () => process.exit())`

/** Returns what the socket answers to these lines until it hangs up, or for a moment. */
async function tell(socket: string, lines: readonly string[]): Promise<string[]> {
  const script = `const s = require('net').connect(process.argv[1]); let t = ''
    s.on('data', (d) => t += d).on('close', () => (process.stdout.write(t), process.exit())).on('error', () => {})
    for (const line of process.argv.slice(2)) s.write(line + '\\n')
    setTimeout(() => (process.stdout.write(t), process.exit()), 1500)`
  const { stdout } = await run(process.execPath, ['--eval', script, socket, ...lines])
  return stdout.split('\n').filter(Boolean)
}

/** A person with a data folder of their own. */
class Home {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-attack-')))
  readonly #env = {
    PATH: process.env['PATH'] ?? '',
    HOME: this.path,
    PORTOLAN_HOME: join(this.path, 'data'),
    XDG_RUNTIME_DIR: this.path,
    PORTOLAN_KEY: SECRET,
  }

  get run(): string {
    return runFolderOf(join(this.path, 'data'), this.#env)
  }

  get socket(): string {
    return join(this.run, 'gateway.sock')
  }

  async join(): Promise<StdioClient> {
    const child = spawn(process.execPath, [MAIN], {
      cwd: this.path,
      env: this.#env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    return new StdioClient(child)
  }

  async discard(): Promise<void> {
    await run(process.execPath, [MAIN, 'stop'], { env: this.#env }).catch(() => undefined)
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** A client that asks one thing after the other. */
class StdioClient {
  readonly #child: ChildProcess
  #id = 0

  constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Whether it gets an answer. */
  async isServed(): Promise<boolean> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'attacked', version: '1' },
    }
    const message = { jsonrpc: '2.0', id: ++this.#id, method: 'initialize', params }
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
    if (!this.#child.stdout) return false
    const [chunk]: unknown[] = await once(this.#child.stdout, 'data')
    return String(chunk).includes('serverInfo')
  }

  async end(): Promise<void> {
    this.#child.stdin?.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}
