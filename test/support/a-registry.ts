import { readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Later } from './temp-folder.ts'

/** Entries as the registry has published them. */
export const SNAPSHOT = join(import.meta.dirname, '../fixtures/registry/snapshot.json')

export interface PublishedServer {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

export function published(): PublishedServer[] {
  const content: { servers: PublishedServer[] } = JSON.parse(readFileSync(SNAPSHOT, 'utf8'))
  return content.servers
}

/** A registry that answers `/v0.1/servers` as the official one does; its search knows names alone. */
export async function aRegistry(
  servers: readonly PublishedServer[] = published(),
  later: Later = onTestFinished,
) {
  const asked: string[] = []
  const wrap = (server: PublishedServer) => ({
    server,
    _meta: {
      'io.modelcontextprotocol.registry/official': {
        status: server['status'] ?? 'active',
        isLatest: server === latestOf(servers, server.name),
      },
    },
  })
  const registry = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry')
    asked.push(`${url.pathname}${url.search}`)
    const reply = (status: number, content: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(content))
    const [, path = ''] = /^\/v0\.1\/servers(?:\/(.*))?$/.exec(url.pathname) ?? []
    if (!url.pathname.startsWith('/v0.1/servers')) return void reply(404, { error: 'Not found' })
    if (path === '') {
      const word = url.searchParams.get('search')?.toLowerCase() ?? ''
      const found = servers.filter(
        (server) =>
          server.name.toLowerCase().includes(word) &&
          (url.searchParams.get('version') !== 'latest' ||
            server === latestOf(servers, server.name)),
      )
      return void reply(200, { servers: found.map(wrap), metadata: { count: found.length } })
    }
    const [name = '', , version = ''] = path.split('/').map(decodeURIComponent)
    const one =
      version === 'latest'
        ? latestOf(servers, name)
        : servers.find((server) => server.name === name && server.version === version)
    return void (one ? reply(200, wrap(one)) : reply(404, { error: 'Server not found' }))
  })
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
  later(() => void registry.close())
  const address = registry.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, asked }
}

function latestOf(servers: readonly PublishedServer[], name: string) {
  return servers.findLast((server) => server.name === name)
}
