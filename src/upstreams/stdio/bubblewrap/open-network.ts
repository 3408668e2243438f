import { getgid, getuid } from 'node:process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { type Socket, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../../base/environment.ts'
import { FROM_SOURCE, moduleFile } from '../../../base/files/package-files.ts'
import { guardedLookup } from '../../../base/net/guarded-lookup.ts'
import { proxiesFrom } from '../../../base/net/proxy.ts'
import { type ListedHost, toListed } from './listed-hosts.ts'

/** A network with the listed hosts alone, for one start of a program. */
export interface OpenNetwork {
  /** The command in which the bubblewrap of the program runs. */
  readonly command: readonly string[]
  /** What that bubblewrap needs there. */
  readonly flags: readonly string[]
  readonly files: Readonly<Record<string, string>>
  close(): void
}

/** The first line of a connection: where it goes. */
const MAX_LINE = 300

/**
 * Opens a network that has no way out but a socket to this process, which connects to what is listed.
 * Inside, every name has an address of the loopback device, where a helper listens, so that programs
 * need not know about a proxy. The helper is outside of the program's own sandbox.
 */
export async function openNetwork(
  hosts: readonly string[],
  env: Environment,
): Promise<OpenNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-network-'))
  const socket = join(folder, 'socket')
  const resolver = join(folder, 'resolv.conf')
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  const listed = toListed(hosts)
  const server = createServer((inside) => relay(inside, listed, env))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve)
  })
  server.unref()
  const loader = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : []
  const worker = moduleFile('upstreams/stdio/bubblewrap/network-worker')
  return {
    command: [
      ['bwrap', '--unshare-user', '--unshare-net', '--die-with-parent', '--dev-bind', '/', '/'],
      // The rights to listen at port 53, and to let root be root in a sandbox within this one.
      ['--uid', '0', '--gid', '0', '--cap-drop', 'ALL'],
      ['--cap-add', 'CAP_NET_BIND_SERVICE', '--cap-add', 'CAP_SETFCAP', '--'],
      [process.execPath, '--max-old-space-size=64', ...loader, worker],
      [socket, JSON.stringify(hosts)],
    ].flat(),
    flags: ['--uid', String(getuid?.()), '--gid', String(getgid?.())],
    files: { '/etc/resolv.conf': resolver },
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function relay(inside: Socket, listed: readonly ListedHost[], env: Environment): void {
  let head = ''
  inside.on('error', () => inside.destroy())
  inside.on('data', function read(chunk: Buffer) {
    head += chunk.toString('latin1')
    const end = head.indexOf('\n')
    if (end === -1) return void (head.length > MAX_LINE && inside.destroy())
    inside.off('data', read).pause()
    const [, host = '', port = ''] = /^([\w.-]+) (\d+)$/.exec(head.slice(0, end)) ?? []
    const found = listed.find(
      ({ matches, ports }) => ports.includes(Number(port)) && matches(host.toLowerCase()),
    )
    if (!found) return void inside.destroy()
    inside.unshift(Buffer.from(head.slice(end + 1), 'latin1'))
    void connectTo(host, Number(port), found, env)
      .then((outside) => {
        outside.on('error', () => inside.destroy()).on('close', () => inside.destroy())
        inside.on('close', () => outside.destroy())
        return inside.pipe(outside).pipe(inside)
      })
      .catch(() => inside.destroy())
  })
}

/** Connects, through the proxy of this machine if there is one. */
async function connectTo(
  host: string,
  port: number,
  { isOwn }: ListedHost,
  env: Environment,
): Promise<Socket> {
  const proxies = isOwn ? undefined : proxiesFrom(env)
  const proxy = proxies && (port === 80 ? proxies.httpProxy : proxies.httpsProxy)
  return new Promise((resolve, reject) => {
    if (proxy) {
      const { hostname, port: at, username, password } = new URL(proxy)
      const login = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
      request({
        host: hostname,
        port: at || 80,
        method: 'CONNECT',
        path: `${host}:${port}`,
        ...(username !== '' && { headers: { 'proxy-authorization': `Basic ${login}` } }),
      })
        .on('connect', ({ statusCode }, socket: Socket) => {
          if (statusCode === 200) resolve(socket)
          else reject(new Error(`the proxy answered ${statusCode}`))
        })
        .on('error', reject)
        .end()
      return
    }
    const socket = connect({ host, port, ...(!isOwn && { lookup: guardedLookup(refusePrivate) }) })
    socket.once('error', reject).once('connect', () => resolve(socket))
  })
}

/** A listed name must not lead to this machine or its network, whatever its owner makes of it. */
function refusePrivate(name: string, address: string): Error {
  return new Error(`${name} is ${address}, on this network`)
}
