import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type Server, createServer } from 'node:net'
import { createSocket } from 'node:dgram'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { removeFolder } from '../../test/support/temporary-folder.ts'
import { needBubblewrap } from '../../test/support/bubblewrap.ts'
import type { Attack, Field } from './report.ts'
import { Rig, until } from './rig.ts'

const PROGRAM = resolve(import.meta.dirname, '../../test/support/evaluating-server.mjs')
const SECRET = 'a secret of the person'
const SECRETS = ['.ssh/id', '.aws/credentials', '.config/google-chrome/Cookies', '.netrc']

/** One way out: code that returns what it reached, or throws. */
interface Escape {
  readonly name: string
  readonly code: string
  /** Which sandbox it is tried in; the default one where it is left out. */
  readonly from?: 'writer' | 'offline' | 'listed'
  /** Whether it reached something, judged from outside; otherwise the answer has to be the secret. */
  readonly reached?: () => boolean
  /** Only root can do it without a sandbox. */
  readonly asRoot?: true
}

/** A program of a server in its sandbox tries to get out; without it, each try succeeds. */
export const escapes: Attack = {
  name: 'escapes from the sandbox of a server',
  async run(field) {
    await needBubblewrap()
    const folder = mkdtempSync(join(tmpdir(), 'portolan-escapes-'))
    const world = await openWorld(folder)
    const entry = { command: process.execPath, args: [PROGRAM], cwd: world.project }
    const listed = { network: [`localhost:${world.listed}`] }
    const rig = await Rig.open({
      folder: world.home,
      env: { XDG_RUNTIME_DIR: world.runtime, DBUS_SESSION_BUS_ADDRESS: `unix:path=${world.bus}` },
      settings: { builtins: { code: false, knowledge: false, traces: false } },
      servers: {
        free: entry,
        confined: { ...entry, sandbox: true },
        writer: { ...entry, sandbox: { write: ['.'] } },
        offline: { ...entry, sandbox: { network: 'none' } },
        listed: { ...entry, sandbox: listed },
        planted: { ...entry, sandbox: { write: ['.', 'planted'] } },
      },
    })
    const evaluate = async (server: string, code: string) => rig.call(`${server}__run`, { code })
    try {
      for (const escape of escapesFrom(world, rig.pid)) await tryEscape(field, escape, evaluate)
      await field.try('what is allowed works: a listed host', async () =>
        (await evaluate('listed', fetches('localhost', world.listed))).includes(SECRET),
      )
      await field.try('what is allowed works: writing a folder', async () => {
        await evaluate('writer', write(join(world.project, 'allowed'), 'x'))
        return existsSync(join(world.project, 'allowed'))
      })
      // It has started, and made the folder that it names.
      const planted = join(world.project, 'planted')
      await evaluate(
        'writer',
        inNode(
          `fs.rmSync('${planted}', { recursive: true }); fs.symlinkSync('${world.home}/.ssh', '${planted}')`,
        ),
      )
      await evaluate('planted', 'setTimeout(() => process.exit(), 50)')
      await until(async () => !(await evaluate('planted', 'return 1')).includes('"1"'), 10_000)
      await field.try('a link in the place of a folder that the entry names', async () => {
        const said = await evaluate('planted', read(join(world.project, 'planted/id')))
        return said.includes('symbolic link') && !said.includes(SECRET)
      })
    } finally {
      await rig.stop()
      await world.close()
      removeFolder(folder)
    }
  },
}

async function tryEscape(
  field: Field,
  { name, code, from, reached, asRoot }: Escape,
  evaluate: (server: string, code: string) => Promise<string>,
): Promise<void> {
  const succeeds = async (server: string) => {
    const said = await evaluate(server, code)
    return reached ? reached() : said.includes(SECRET)
  }
  const where = from ?? 'confined'
  await field.try(`${name} (${where})`, async () => !(await succeeds(where)))
  if (asRoot && process.getuid?.() !== 0) return
  const control = async () => succeeds('free')
  await field.try(`${name}: without a sandbox it succeeds`, control)
}

const PRELUDE = `const fs = require('node:fs'), net = require('node:net'), cp = require('node:child_process');`
const inNode = (code: string) =>
  `const require = (await import('node:module')).createRequire('/'); ${PRELUDE} ${code}`
const read = (path: string) => inNode(`return fs.readFileSync(${JSON.stringify(path)}, 'utf8')`)
const write = (path: string, text: string) =>
  inNode(
    `fs.mkdirSync(require('node:path').dirname('${path}'), { recursive: true }); fs.writeFileSync('${path}', ${JSON.stringify(text)})`,
  )
const fetches = (host: string, port: number) =>
  inNode(`return (await fetch('http://${host}:${port}/')).text()`)
const connects = (to: string) =>
  inNode(
    `return new Promise((done, failed) => net.connect(${to}).on('data', (text) => done(text)).on('error', failed))`,
  )
type World = Awaited<ReturnType<typeof openWorld>>

function escapesFrom(world: World, gateway: number): Escape[] {
  const { home, project, runtime, bus, victim } = world
  const data = join(home, 'home')
  const lands = (path: string) => ({ code: write(path, SECRET), reached: () => taken(path) })
  const written = [
    join(home, '.bashrc'),
    join(home, '.config/autostart/x.desktop'),
    join(project, 'planted-file'),
    join(data, 'mcp.json'),
    join(home, '.npm/_cacache/index-v5/x'),
    join(home, '.npm/_npx/0123/node_modules/x/index.js'),
    join(home, '.cache/pip/x'),
    `/var/tmp/portolan-escape-${process.pid}`,
  ]
  return [
    ...SECRETS.map((name) => ({ name: `read ~/${name}`, code: read(join(home, name)) })),
    { name: 'read ~/.ssh by a link in the project', code: read(join(project, 'link/id')) },
    { name: 'read ~/.ssh by /proc/self/root', code: read(`/proc/self/root${home}/.ssh/id`) },
    { name: 'read our data folder', code: read(join(data, 'secret')) },
    { name: 'read the token of our socket', code: read(join(data, 'run/token')) },
    ...written.map((path) => ({ name: `write ${path.replace(home, '~')}`, ...lands(path) })),
    ...['.mcp.json', '.git/hooks/pre-commit', '.vscode/tasks.json'].map((name) => ({
      name: `write ${name} of a folder that it may write`,
      from: 'writer' as const,
      ...lands(join(project, name)),
    })),
    { name: 'our socket', code: connects(`'${data}/run/gateway.sock'`) },
    { name: 'D-Bus', code: connects(`'${bus}'`) },
    { name: 'a socket in /tmp', code: connects(`'${world.socket}'`) },
    { name: 'the runtime folder', code: read(join(runtime, 'secret')) },
    {
      name: 'the address of D-Bus',
      code: `return process.env.DBUS_SESSION_BUS_ADDRESS ? '${SECRET}' : ''`,
    },
    { name: 'an abstract socket', from: 'offline', code: connects(`'\\0${world.abstract}'`) },
    { name: 'an abstract socket', from: 'listed', code: connects(`'\\0${world.abstract}'`) },
    { name: 'the environment of the gateway', code: environmentOf(gateway) },
    { name: 'the memory of a process', code: openMemory(victim.pid ?? 0) },
    {
      name: 'the end of a process',
      code: inNode(
        `process.kill(${victim.pid}, 'SIGUSR1'); await new Promise((done) => setTimeout(done, 300))`,
      ),
      reached: () => victim.exitCode !== null || victim.signalCode !== null,
    },
    { name: 'a host without a network', from: 'offline', code: fetches('127.0.0.1', world.listed) },
    {
      name: 'a host that is not listed',
      from: 'listed',
      code: fetches('127.0.0.1', world.unlisted),
    },
    { name: 'its name', from: 'listed', code: fetches('localhost', world.unlisted) },
    { name: 'its other notation', from: 'listed', code: fetches('0x7f.1', world.unlisted) },
    { name: 'a datagram', from: 'listed', ...datagram(world) },
    { name: 'a datagram', from: 'offline', ...datagram(world) },
    {
      name: 'a namespace of its own',
      code: inNode(`cp.execSync('unshare -Ur true'); return '${SECRET}'`),
    },
    {
      name: 'a setting of the kernel',
      asRoot: true,
      code: inNode(`fs.openSync('/proc/sys/kernel/core_pattern', 'r+'); return '${SECRET}'`),
    },
    {
      name: 'rights of root',
      asRoot: true,
      code: inNode(
        `return /CapEff:\\s*0+$/m.test(fs.readFileSync('/proc/self/status', 'utf8')) ? '' : '${SECRET}'`,
      ),
    },
  ]
}

function taken(path: string): boolean {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== SECRET) return false
  writeFileSync(path, '')
  return true
}

function environmentOf(pid: number): string {
  return inNode(
    `const text = fs.readFileSync('/proc/${pid}/environ', 'utf8'); return text.includes('PORTOLAN_HOME') ? '${SECRET}' : ''`,
  )
}

function openMemory(pid: number): string {
  return inNode(
    `if (!fs.readFileSync('/proc/${pid}/cmdline', 'utf8').includes('sleep')) return ''; fs.openSync('/proc/${pid}/mem', 'r'); return '${SECRET}'`,
  )
}

function datagram({ datagrams, datagramPort }: World): Pick<Escape, 'code' | 'reached'> {
  return {
    code: inNode(
      `const socket = require('node:dgram').createSocket('udp4'); await new Promise((done) => socket.send('x', ${datagramPort}, '127.0.0.1', done)); socket.close(); await new Promise((done) => setTimeout(done, 200))`,
    ),
    reached: () => datagrams.splice(0).length > 0,
  }
}

const says = () => createServer((client) => client.end(SECRET))
const web = () =>
  createServer((client) =>
    client.once('data', () => client.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${SECRET}`)),
  )
const open = async (server: Server, at: string | number) => {
  await new Promise<void>((done) => {
    if (typeof at === 'string') server.listen(at, done)
    else server.listen(at, '127.0.0.1', done)
  })
  return server
}

/** A home with secrets, a project, and what else of a machine a program should not reach. */
async function openWorld(folder: string) {
  const home = join(folder, 'person')
  const project = join(home, 'project')
  const runtime = join(folder, 'runtime')
  const bus = join(runtime, 'bus')
  const socket = join(folder, 'socket')
  const abstract = `portolan-escape-${process.pid}`
  for (const name of [...SECRETS, 'home/secret', 'home/run/token', '../runtime/secret']) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), SECRET)
  }
  for (const name of ['.git/hooks', '.vscode']) mkdirSync(join(project, name), { recursive: true })
  for (const name of ['.mcp.json', '.git/hooks/pre-commit', '.vscode/tasks.json'])
    writeFileSync(join(project, name), '{}')
  symlinkSync(join(home, '.ssh'), join(project, 'link'))
  const victim = spawn('sleep', ['600'], { stdio: 'ignore' })
  const servers = await Promise.all([
    ...[bus, socket, `\0${abstract}`, join(home, 'home/run/gateway.sock')].map((path) =>
      open(says(), path),
    ),
    open(web(), 0),
    open(web(), 0),
  ])
  const ports = servers.slice(-2).map((server) => {
    const address = server.address()
    return typeof address === 'object' ? (address?.port ?? 0) : 0
  })
  const datagrams: Buffer[] = []
  const receiver = createSocket('udp4', (message) => datagrams.push(message))
  receiver.bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  const [listed = 0, unlisted = 0] = ports
  return {
    home,
    project,
    runtime,
    bus,
    socket,
    abstract,
    victim,
    listed,
    unlisted,
    datagrams,
    datagramPort: receiver.address().port,
    async close() {
      victim.kill('SIGKILL')
      receiver.close()
      for (const server of servers) server.close()
      await until(() => servers.every((server) => !server.listening), 5_000)
    },
  }
}
