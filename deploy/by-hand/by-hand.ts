/**
 * `npx tsx deploy/by-hand/by-hand.ts` starts what compose.yaml describes without a container engine:
 * each service as a process, with exactly its environment, and uses it as a team would. It needs root
 * on Debian, where it installs PostgreSQL, Redis and nginx, and `npm run build` before. With
 * `--measure`, it prints the memory of the gateways after twenty seconds of load.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Redis } from 'ioredis'
import { freePort } from '../../test/support/free-port.ts'
import { startNginx } from '../../test/support/nginx.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { startRedis } from '../../test/support/redis.ts'
import { OAuthClient, useToken } from '../../test/support/sign-in/oauth-client.ts'
import { withKey } from '../../test/support/sign-in/signing-client.ts'
import { removeFolder } from '../../test/support/temporary-folder.ts'
import { DEPLOY, readComposeFile, readDocumentedCommand } from './compose-file.ts'
import { Container } from './container.ts'

/** A server of others, which npx fetches. */
const NPX_SERVER = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory@2026.8.31'] }
const CALL = {
  name: 'execute_tool',
  arguments: { server: 'memory', tool: 'read_graph', args: {} },
}

const undo: (() => void | Promise<void>)[] = []
const later = (step: () => void | Promise<void>) => void undo.unshift(step)
const done = (what: string) => console.log(`✓ ${what} (${Math.round(process.uptime())} s)`)

try {
  await useTheStack()
} finally {
  for (const step of undo) await step()
}

async function useTheStack(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'portolan-deploy-')))
  later(() => removeFolder(folder))
  // The user of the image has to reach its volumes.
  chmodSync(folder, 0o755)

  assert.throws(() => readComposeFile('compose.yaml', {}), /required variable POSTGRES_PASSWORD/)
  const secrets = makeSecrets(folder)
  done(`the documented command makes ${Object.keys(secrets).join(' and ')}, once`)

  const ports = { gateway: await freePort(), gateway2: await freePort(), tls: await freePort() }
  const hosts = { gateway: `127.0.0.1:${ports.gateway}`, gateway2: `127.0.0.1:${ports.gateway2}` }
  const nginx = await startNginx((port) => nginxConfig({ folder, port, tls: ports.tls, hosts }))
  later(async () => nginx.stop())
  const services = readComposeFile('compose.yaml', { ...secrets, PUBLIC_URL: nginx.url })
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = services['database']?.environment ?? {}
  const account = {
    user: String(POSTGRES_USER),
    password: String(POSTGRES_PASSWORD),
    database: String(POSTGRES_DB),
  }
  const [postgres, redis] = await Promise.all([
    startPostgres({ own: true, account }),
    startRedis({ ownOnly: true, options: (services['redis']?.command ?? []).slice(1) }),
  ])
  later(async () => postgres.stop())
  later(async () => redis.stop())

  const addresses = new Map([
    ['database:5432', new URL(postgres.url).host],
    ['redis:6379', new URL(redis.url).host],
  ])
  const container = (name: string, port: number) =>
    new Container(services[name] ?? {}, { folder, addresses }, port)
  const gateway = container('gateway', ports.gateway)
  const gateway2 = container('gateway2', ports.gateway2)
  const gateways = [gateway, gateway2]
  addServer(join(folder, 'config/.mcp.json'))
  const key = (await gateway.run('keys', 'create', 'ada')).trim()
  await Promise.all(gateways.map(async (each) => each.start(later)))
  done('PostgreSQL, Redis, two gateways and nginx run, and their health checks pass')

  const tokens = await signIn(nginx.url, key)
  for (const url of [nginx.url, gateway.url, gateway2.url])
    assert.equal((await useToken(`${url}/mcp`, tokens.access_token)).status, 200)
  done('a person signs in through nginx, and both gateways know the token')

  const direct = await Promise.all(gateways.map(async ({ url }) => connect(url, key)))
  for (const answer of await Promise.all(direct.map(async ({ call }) => call())))
    assert.match(answer, /entities/)
  assert.ok(existsSync(join(gateway.folder('/home/node'), '.npm/_npx')))
  done('both gateways run a server of npx, whose package is in the volume of their home')

  const { call, session } = await connect(nginx.url, tokens.access_token)
  const before = session()
  await call()
  for (const each of gateways) {
    await each.stop()
    await call()
    await each.start(later)
    await call()
  }
  assert.equal(session(), before)
  assert.ok(before)
  done('each gateway was replaced, and a client went on in its session')

  const backup = container('backup', 0)
  assert.match(await backup.runEntrypoint(), /rows of \d+ tables/)
  done('the backup job writes a backup of the day')

  await assertExpires(redis.url)
  done('every key in Redis expires')

  assert.equal(await overTls(folder, ports.tls), 200)
  done('nginx-tls.conf serves the same over HTTPS')
  if (process.argv.includes('--measure')) await load(gateways, key)
  console.log(`memory in MB: ${JSON.stringify(gateways.map((each) => each.memory()))}`)
}

/** Puts each gateway under the load of 32 clients for 20 s, which is more than most teams are. */
async function load(gateways: readonly Container[], key: string): Promise<void> {
  const urls = gateways.flatMap(({ url }) => Array.from({ length: 32 }, () => url))
  const clients = await Promise.all(urls.map(async (url) => connect(url, key)))
  const end = Date.now() + 20_000
  let answers = 0
  await Promise.all(
    clients.map(async ({ call }) => {
      for (; Date.now() < end; answers += 1) await call()
    }),
  )
  done(`${answers} calls were answered`)
}

/** Runs the command that compose.yaml documents, beside which nobody has a file yet. */
function makeSecrets(folder: string): Record<string, string> {
  const command = readDocumentedCommand('compose.yaml', '(set -C')
  mkdirSync(join(folder, 'deploy'))
  const run = () => execFileSync('/bin/bash', ['-c', command], { cwd: folder, stdio: 'pipe' })
  run()
  const text = readFileSync(join(folder, 'deploy/.env'), 'utf8')
  assert.throws(run, /cannot overwrite/, 'a second run would lose the first secrets')
  return Object.fromEntries(
    Object.entries(parseEnv(text)).map(([name, value]) => [name, String(value)]),
  )
}

/** Adds a server to the configuration, in which only built-in ones are. */
function addServer(file: string): void {
  const config = JSON.parse(readFileSync(file, 'utf8'))
  config.mcpServers.memory = NPX_SERVER
  writeFileSync(file, JSON.stringify(config))
}

function read(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8')
}

interface NginxPlaces {
  readonly folder: string
  readonly port: number
  readonly tls: number
  readonly hosts: { readonly gateway: string; readonly gateway2: string }
}

/** nginx.conf and nginx-tls.conf as they are, but for their ports, their folders and the gateways. */
function nginxConfig({ folder, port, tls, hosts }: NginxPlaces): string {
  const certificate = join(folder, 'tls')
  mkdirSync(certificate)
  const files = ['-keyout', join(certificate, 'tls.key'), '-out', join(certificate, 'tls.crt')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    stdio: 'ignore',
  })
  const extra = read('nginx-tls.conf')
    .replace('8443', `127.0.0.1:${tls}`)
    .replaceAll('/etc/nginx/tls', certificate)
  mkdirSync(join(folder, 'nginx'))
  writeFileSync(join(folder, 'nginx/tls.conf'), extra)
  return read('nginx.conf')
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll('gateway2:7411', hosts.gateway2)
    .replaceAll('gateway:7411', hosts.gateway)
    .replace('/etc/nginx/portolan', join(folder, 'nginx'))
}

async function signIn(url: string, key: string) {
  const client = await new OAuthClient(url).register()
  return (await client.redeem(await client.code(withKey(key)))).body
}

/** A client of 2025, which has a session. */
async function connect(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  })
  const client = new Client({ name: 'by-hand', version: '1' })
  await client.connect(transport)
  later(async () => client.close())
  return {
    session: () => transport.sessionId,
    call: async () => {
      const result = await client.callTool(CALL)
      assert.notEqual(result.isError, true, JSON.stringify(result))
      return JSON.stringify(result)
    },
  }
}

async function assertExpires(url: string): Promise<void> {
  const redis = new Redis(url)
  later(() => redis.disconnect())
  const names = await redis.keys('*')
  assert.ok(names.length > 0)
  for (const name of names) assert.notEqual(await redis.ttl(name), -1, name)
}

async function overTls(folder: string, port: number): Promise<number | undefined> {
  const ca = readFileSync(join(folder, 'tls/tls.crt'))
  return new Promise((resolve, reject) => {
    request(
      { host: '127.0.0.1', servername: 'localhost', port, path: '/health', ca },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
      .on('error', reject)
      .end()
  })
}
