import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { debianProgram } from './debian-program.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

const CACHE = process.env['PORTOLAN_TEST_CACHE'] ?? '/var/cache/portolan-test'
const CHROOT = join(CACHE, 'trixie-pg17')
const BIN = '/usr/lib/postgresql/17/bin'
/** The package mirror, if not the default of debootstrap. */
const MIRROR = process.env['DEBIAN_MIRROR']

const HOW_TO_GET_ONE =
  'The database tests need a PostgreSQL with pgvector. Either set TEST_DATABASE_URL to one whose role may create databases, or run as root on Debian: `debootstrap` is then installed and a trixie chroot made once (about 90 s, 770 MB).'

export interface TestServer {
  /** Its role may create databases. */
  readonly url: string
  restart(): Promise<void>
  /** Stops it until `resume`, which starts it again with all its data. */
  halt(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Whether a commit survives a crash of the machine; slower. */
  readonly durable?: boolean
  /** Starts a server that the test may stop, even if TEST_DATABASE_URL is set. */
  readonly own?: boolean
  /** Its only role, which needs the password and owns the database; otherwise everybody gets in. */
  readonly account?: { readonly user: string; readonly password: string; readonly database: string }
}

/** A server of TEST_DATABASE_URL is never stopped. */
async function leave(): Promise<void> {}

/** A real PostgreSQL 17 with pgvector: TEST_DATABASE_URL, or one from a cached Debian chroot. */
export async function startPostgres({
  durable = false,
  own = false,
  account,
}: PostgresOptions = {}): Promise<TestServer> {
  const given = own ? undefined : process.env['TEST_DATABASE_URL']
  if (given) return { url: given, restart: leave, halt: leave, resume: leave, stop: leave }
  await ensureChroot()
  const port = await freePort()
  const data = `/var/lib/postgresql/portolan-${process.pid}-${port}`
  const who = await initialize(data, account)
  const url = `postgres://${who}@127.0.0.1:${port}/postgres`
  let server = await launch({ data, port, durable, url })
  if (account) await createNamed(account.database, url)
  const stopServer = async () => halt(server)
  const resume = async () => {
    if (server.exitCode !== null) server = await launch({ data, port, durable, url })
  }
  return {
    url,
    async restart() {
      await stopServer()
      await resume()
    },
    halt: stopServer,
    resume,
    async stop() {
      await halt(server)
      await rm(join(CHROOT, data), { recursive: true, force: true })
    },
  }
}

/** Makes the files of a server; returns the part of its address before the @. */
async function initialize(data: string, account: PostgresOptions['account']): Promise<string> {
  const args = [`${BIN}/initdb`, '-D', data, '-E', 'UTF8']
  if (!account) {
    await inChroot([...args, '-U', 'postgres', '-A', 'trust'])
    return 'postgres'
  }
  const { user, password } = account
  const file = `/tmp/${basename(data)}.password`
  await writeFile(join(CHROOT, file), password)
  await inChroot([...args, '-U', user, '-A', 'scram-sha-256', `--pwfile=${file}`])
  await rm(join(CHROOT, file))
  return `${user}:${password}`
}

/** Creates an empty database on the server, so that test files do not share data. */
export async function createDatabase(serverUrl: string): Promise<string> {
  const name = `portolan_${process.pid}_${Math.random().toString(36).slice(2, 10)}`
  return createNamed(name, serverUrl)
}

async function createNamed(name: string, serverUrl: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function ensureChroot(): Promise<void> {
  if (existsSync(join(CHROOT, BIN, 'postgres'))) return
  if (process.getuid?.() !== 0) throw new Error(HOW_TO_GET_ONE)
  const partial = `${CHROOT}.${process.pid}`
  await mkdir(CACHE, { recursive: true })
  try {
    const debootstrap = await debianProgram({
      name: 'debootstrap',
      packageName: 'debootstrap',
      need: HOW_TO_GET_ONE,
    })
    await run(debootstrap, [
      '--variant=minbase',
      '--include=postgresql-17-pgvector',
      'trixie',
      partial,
      ...(MIRROR === undefined ? [] : [MIRROR]),
    ])
    // Another run may have finished first; then its chroot is used.
    await rename(partial, CHROOT).catch((error: unknown) => {
      if (!existsSync(join(CHROOT, BIN, 'postgres'))) throw error
    })
  } catch (error) {
    throw new Error(HOW_TO_GET_ONE, { cause: error })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

async function inChroot(command: readonly string[]): Promise<void> {
  await run('chroot', ['--userspec=postgres:postgres', CHROOT, ...command], {
    env: { LC_ALL: 'C.UTF-8', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
}

interface Launch {
  readonly data: string
  readonly port: number
  readonly durable: boolean
  readonly url: string
}

async function launch({ data, port, durable, url }: Launch): Promise<ChildProcess> {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=/tmp',
    // The chroot has no /dev/shm, so plain files are used.
    'dynamic_shared_memory_type=mmap',
    'max_connections=200',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ].map((setting) => `-c ${setting}`)
  const postgres = `${BIN}/postgres -D ${data} ${settings.join(' ')}`
  // `cat` ends with this process in any case, so that no server is left running.
  const script = `${postgres} </dev/null >/tmp/${port}.log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid`
  const child = spawn('chroot', ['--userspec=postgres:postgres', CHROOT, '/bin/sh', '-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { LC_ALL: 'C.UTF-8', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  await untilReady(url)
  return child
}

async function halt(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.stdin?.end()
  await ended
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (attempt > 100) throw new Error('PostgreSQL did not start within 10 s', { cause: error })
      await sleep(100)
    }
  }
}
