import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'

export interface StaticSite {
  /** False where it has nothing for this request. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean>
}

export interface StaticSiteOptions {
  /** Shown while the folder has no `index.html`. */
  readonly whenMissing: string
  /** Whether the script of `index.html` shows something at this path. */
  readonly isPage: (path: string) => boolean
}

interface Asset {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
  readonly caching: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Only what we serve ourselves: no script, style, font or picture from anywhere else, no frame around us. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Build tools put a hash into names that change with their content, as in `index-3fK2a9Qx.js`. */
const HASHED = /[-.][\w-]{8,}\.(?:js|css|woff2|png|svg)$/
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * The files of a folder, read when the first one is asked for and kept. The pages are `index.html`,
 * for clients that read HTML.
 */
export function createStaticSite(folder: string, options: StaticSiteOptions): StaticSite {
  const missing = toAsset('index.html', options.whenMissing)
  let reading: Promise<ReadonlyMap<string, Asset>> | undefined

  async function assets(): Promise<ReadonlyMap<string, Asset>> {
    const found = await (reading ??= readAssets(folder))
    // Built after we were started: look again.
    if (found.size === 0) reading = undefined
    return found
  }

  return {
    async handle(request, response, url) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const path = decode(url.pathname)
      const isPage = options.isPage(path)
      if (isPage && !readsHtml(request)) return false
      const found = await assets()
      const asset = found.get(isPage ? '/index.html' : path)
      if (asset) send(request, response, asset)
      else if (isPage) send(request, response, missing, 503)
      return asset !== undefined || isPage
    },
  }
}

function readsHtml({ headers: { accept = '*/*' } }: IncomingMessage): boolean {
  return /text\/html|\*\/\*/.test(accept)
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  asset: Asset,
  status = 200,
): void {
  const { bytes, type, etag, caching } = asset
  const headers = { ...PAGE_HEADERS, etag, 'cache-control': caching }
  if (status === 200 && request.headers['if-none-match'] === etag)
    return void response.writeHead(304, headers).end()
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': bytes.length })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** Nothing outside of the folder can be named: only what was listed is served. */
async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    const asset = toAsset(name, await readFile(path))
    return [`/${relative(folder, path).split(sep).join('/')}`, asset] as const
  })
  const found = new Map(await Promise.all(read))
  return found.has('/index.html') ? found : new Map()
}

function toAsset(name: string, content: Buffer | string): Asset {
  const bytes = Buffer.from(content)
  return {
    bytes,
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    caching: HASHED.test(name) ? FOREVER : 'no-cache',
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
