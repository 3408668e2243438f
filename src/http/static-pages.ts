import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'

export interface StaticPagesOptions {
  readonly folder: string
  /** Shown while the folder has no `index.html`. */
  readonly whenMissing: string
  /** Whether the script of `index.html` shows something at this path. */
  readonly isPage: (path: string) => boolean
}

/** Allows only our own scripts, styles, fonts and pictures, and no frame around our pages. */
const PAGE_HEADERS = {
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

/** Matches names with a hash of their content, as build tools write them: `index-3fK2a9Qx.js`. */
const HASHED = /[-.][\w-]{8,}\.(?:js|css|woff2|png|svg)$/
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * Serves the files of a folder, also below `/static`, and `index.html` as every page for clients
 * that read HTML. Any other request goes on to the next handler.
 */
export function createStaticPages({ folder, whenMissing, isPage }: StaticPagesOptions): Hono {
  const index = join(folder, 'index.html')
  let files: ReturnType<typeof createFiles> | undefined

  /** Checked at every request, because the pages may be built after the start. */
  const built = () => (existsSync(index) ? (files ??= createFiles(folder)) : undefined)

  const pages = new Hono()
  pages.use(async function setPageHeaders(c, next) {
    await next()
    const caching = c.res.status < 400 && HASHED.test(c.req.path) ? FOREVER : 'no-cache'
    const headers = { ...PAGE_HEADERS, 'cache-control': caching }
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value)
  })
  // By content, because all files of an installed package have the same date.
  pages.use(etag())
  pages.get('*', async function serveFile(c, next) {
    const { path } = c.req
    if (isPage(path) ? !readsHtml(c) : extname(path) === '') return next()
    const found = built()
    if (found) return (isPage(path) ? found.page : found.file)(c, next)
    return isPage(path) ? c.html(whenMissing, 503) : next()
  })
  return pages
}

function createFiles(root: string) {
  return {
    page: serveStatic({ root, path: 'index.html' }),
    file: serveStatic({
      root,
      rewriteRequestPath: (path) => path.replace(/^\/static(?=\/)/, ''),
    }),
  }
}

function readsHtml(c: Context): boolean {
  return /text\/html|\*\/\*/.test(c.req.header('accept') ?? '*/*')
}
