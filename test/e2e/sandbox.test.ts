import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import { needBubblewrap } from '../support/bubblewrap.ts'
import { call, execute, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const EVALUATING = join(import.meta.dirname, '../support/evaluating-server.mjs')

beforeAll(needBubblewrap)

/** A server that runs any code, with what its entry says of its sandbox. */
function evaluating(sandbox: unknown, more: object = {}) {
  return { command: process.execPath, args: [EVALUATING], sandbox, ...more }
}

const writes = (path: string) =>
  `(await import('node:fs')).writeFileSync(${JSON.stringify(path)}, 'x'); return 'written'`

describe('a server in a sandbox', () => {
  it('gets what a changed entry allows after a reload, in a new process', async () => {
    const project = tempFolder()
    const entry = { cwd: project.path, env: { GIVEN: '1' } }
    const { connect, folder } = await openGateway({ servers: { one: evaluating(true, entry) } })
    const client = await connect()
    const run = async (code: string) => textOf(await execute(client, 'one', 'run', { code }))
    expect(await run(writes(project.file('a')))).toContain('EROFS')
    expect(await run('return process.env.GIVEN + process.env.PORTOLAN_HOME')).toBe('1undefined')
    folder.write('.mcp.json', {
      mcpServers: { one: evaluating({ write: ['.'] }, entry) },
    })
    await expect.poll(async () => run(writes(project.file('a')))).toBe('written')
    expect(existsSync(project.file('a'))).toBe(true)
  })

  it('says in its output which line would allow what failed', async () => {
    const gateway = await openGateway({ servers: { one: evaluating(true) } })
    const { connect, folder } = gateway
    const client = await connect()
    await execute(client, 'one', 'run', { code: writes(folder.file('a')) })
    expect(await runAt(gateway, 'server', 'logs', 'one')).toContain(
      `"sandbox": {"write":["${folder.file('a')}"]}`,
    )
  })

  it('that cannot start is told which line would allow it', async () => {
    const env = { FAIL_WITH: 'Error: EROFS: read-only file system, mkdir "/srv/data"' }
    const { connect } = await openGateway({ servers: { one: evaluating(true, { env }) } })
    const client = await connect()
    const failed = structured(await execute(client, 'one', 'run', { code: '' }))
    expect(JSON.stringify(failed)).toContain('"write\\":[\\"/srv/data\\"]')
    const { servers } = valueOf(await call(client, 'get_gateway_status')) as Record<string, unknown>
    const [status] = (Array.isArray(servers) ? servers : []).filter(
      (server) => isObject(server) && server['name'] === 'one',
    )
    expect(JSON.stringify(status)).toContain('/srv/data')
  })

  it('ends with all that it started, and when the gateway is killed', async () => {
    const sandbox = { network: ['localhost:9'] }
    const { connect, child } = await openGateway({
      servers: { one: { ...stdioUpstream(), sandbox: true }, two: { ...stdioUpstream(), sandbox } },
    })
    const client = await connect()
    for (const name of ['one', 'two'])
      expect((await execute(client, name, 'spawn_child'))['isError']).toBeUndefined()
    const family = below(child.pid ?? 0).filter(({ command }) =>
      /sleep|upstream|setInterval/.test(command),
    )
    expect(family.length).toBeGreaterThan(5)
    child.kill('SIGKILL')
    const living = () => family.filter(({ pid, command }) => commandOf(pid) === command)
    await expect.poll(living).toEqual([])
  })

  it('restarts when it is asked to, with its cache as it was', async () => {
    const gateway = await openGateway({ servers: { one: evaluating(true) } })
    const { connect, folder } = gateway
    const client = await connect()
    const run = async (code: string) => textOf(await execute(client, 'one', 'run', { code }))
    const cached = '`${process.env.HOME}/.cache/kept`'
    await run(`(await import('node:fs')).writeFileSync(${cached}, 'kept')`)
    expect(await runAt(gateway, 'server', 'restart', 'one')).toContain('✓ one was restarted')
    expect(await run(`return (await import('node:fs')).readFileSync(${cached}, 'utf8')`)).toBe(
      'kept',
    )
    expect(existsSync(folder.file('.cache/kept'))).toBe(false)
  })
})

it('without bubblewrap, what asks for a sandbox does not start, and says what to do', async () => {
  const empty = tempFolder()
  const gateway = await openGateway({
    servers: { one: evaluating(true), two: stdioUpstream() },
    env: { PATH: empty.path },
  })
  const { connect, folder } = gateway
  const client = await connect()
  const text = textOf(await execute(client, 'one', 'run', { code: 'return 1' }))
  expect(text).toContain('its entry asks for a sandbox, and bubblewrap is not installed')
  expect(text).toContain('apt install bubblewrap')
  expect((await execute(client, 'two', 'echo', { text: 'x' }))['isError']).toBeUndefined()
  const status = JSON.stringify(valueOf(await call(client, 'get_gateway_status')))
  expect(status).toContain('apt install bubblewrap')
  const env = { PATH: empty.path }
  const doctor = await runBuilt(folder, ['doctor'], env)
  expect(doctor.stderr + doctor.stdout).toMatch(/without one these do not start: one/)
  const add = ['server', 'add', 'three', '--no-test', '--sandbox', '--', 'some-server']
  const added = await runBuilt(folder, add, env)
  expect(added.stderr + added.stdout).toMatch(/will not start.*apt install bubblewrap/s)
})

function commandOf(pid: number): string | undefined {
  return below(pid).find((found) => found.pid === pid)?.command
}

/** Runs a command against this gateway. */
async function runAt({ folder, url }: Opened, ...args: string[]): Promise<string> {
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const { stdout, stderr } = await runBuilt(folder, args, env)
  return stdout + stderr
}

/** The processes below one, with what they are; those that have ended and wait for it do not count. */
function below(ancestor: number): { pid: number; command: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, state, parent] =
          /\) (\w) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        const text = readFileSync(`/proc/${name}/cmdline`, 'utf8')
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command: text }]
      } catch {
        return []
      }
    })
  const found = new Set([ancestor])
  for (let before = 0; before !== found.size;) {
    before = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}
