import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type TestServer, sendJson, serveHttp } from './http-server.ts'

export interface PublishedVersion {
  readonly files: Readonly<Record<string, string>>
  readonly manifest?: Readonly<Record<string, unknown>>
}

export interface NpmRegistry extends TestServer {
  /** Publishes a version, which is `latest` from then on; the same version again replaces it. */
  publish(name: string, version: string, published: PublishedVersion): void
  /** Settings of npm that lead to it. */
  readonly npmrc: string
  /** Waited for before an answer. */
  delay?: (path: string) => Promise<void>
}

/** A real registry for npm, on loopback. */
export async function startRegistry(): Promise<NpmRegistry> {
  const packages = new Map<string, Map<string, { manifest: object; archive: Buffer }>>()
  const server = await serveHttp((request, response) => {
    const path = decodeURIComponent(request.url.pathname.slice(1))
    void (registry.delay?.(path) ?? Promise.resolve()).then(() => answer(path, response))
  })
  function answer(path: string, response: ServerResponse): void {
    const [name = '', file] = path.split('/-/')
    const versions = packages.get(name)
    if (!versions) return sendJson(response, { error: 'Not found' }, 404)
    const version = [...versions.keys()].find((one) => file === `${one}.tgz`)
    if (file !== undefined)
      return void response.end(version === undefined ? '' : versions.get(version)?.archive)
    sendJson(response, {
      name,
      'dist-tags': { latest: [...versions.keys()].at(-1) },
      versions: Object.fromEntries([...versions].map(([one, { manifest }]) => [one, manifest])),
    })
  }
  const registry: NpmRegistry = {
    ...server,
    npmrc: `registry=${server.url}/\n`,
    publish(name, version, { files, manifest = {} }) {
      const about = { name, version, ...manifest }
      const archive = toArchive({ ...files, 'package.json': JSON.stringify(about) })
      const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
      const tarball = `${server.url}/${name}/-/${version}.tgz`
      const versions = packages.get(name) ?? new Map()
      versions.delete(version)
      packages.set(name, versions)
      versions.set(version, { manifest: { ...about, dist: { integrity, tarball } }, archive })
    },
  }
  return registry
}

/** An MCP server whose tools are in its package, and in the package `words` that it depends on. */
export const PACKAGED_SERVER = `#!/usr/bin/env node
import { createInterface } from 'node:readline'
import { existsSync, readFileSync } from 'node:fs'
const offered = (from) => JSON.parse(readFileSync(new URL(from, import.meta.url), 'utf8'))
const words = './node_modules/words/tools.json'
const beside = '../words/tools.json'
const more = [words, beside].find((path) => existsSync(new URL(path, import.meta.url)))
const tools = [...offered('./tools.json'), ...(more ? offered(more) : [])]
const run = async (code) => new Function('imports', 'return (async () => {' + code + '})()')((name) => import(name))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || !method) continue
  const serverInfo = { name: 'packaged', version: '1' }
  const result =
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
      : method === 'tools/list'
        ? { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }
        : method === 'tools/call'
          ? { content: [{ type: 'text', text: params.arguments?.code ? String(await run(params.arguments.code).catch(String)) : params.name + ' ran with ' + process.argv.slice(2) }] }
          : {}
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
}
`

/** A version of a package with this server. */
export function packagedServer(
  tools: readonly string[],
  manifest: Readonly<Record<string, unknown>> = {},
): PublishedVersion {
  return {
    files: { 'server.mjs': PACKAGED_SERVER, 'tools.json': JSON.stringify(tools) },
    manifest: { bin: 'server.mjs', ...manifest },
  }
}

/** Writes a tar archive as npm reads it. */
function toArchive(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(`package/${name}`, 0)
    header.write('0000644\0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write('0', 156)
    header.write('ustar\u000000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
