import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createStaticPages } from './static-pages.ts'

function aSite() {
  const folder = tempFolder()
  const pages = createStaticPages({
    folder: folder.file('web'),
    whenMissing: '<h1>build me</h1>',
    isPage: (path) => path === '/' || path === '/servers',
  })
  pages.notFound((c) => c.text('next', 404))
  const get = async (path: string, init?: RequestInit) => {
    const response = await pages.request(path, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { folder, get }
}

function build(folder: ReturnType<typeof tempFolder>): void {
  folder.write('web/index.html', '<div id="app"></div>')
  folder.write('web/assets/index-Bf3k9_aQ.js', 'start()')
  folder.write('web/icon.svg', '<svg/>')
  folder.write('secret.txt', 'outside')
}

it('says how to build the pages until they are there', async () => {
  const { folder, get } = aSite()
  expect(await get('/')).toMatchObject({ status: 503, text: '<h1>build me</h1>' })
  build(folder)
  expect(await get('/')).toMatchObject({ status: 200, text: '<div id="app"></div>' })
})

it('serves files by their type, hashed ones for good, others after a look at their etag', async () => {
  const { folder, get } = aSite()
  build(folder)
  const script = await get('/assets/index-Bf3k9_aQ.js')
  expect(script.headers.get('content-type')).toContain('text/javascript')
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect((await get('/static/assets/index-Bf3k9_aQ.js')).text).toBe('start()')
  const known = { 'if-none-match': script.headers.get('etag') ?? '' }
  const again = await get('/assets/index-Bf3k9_aQ.js', { headers: known })
  expect([again.status, again.headers.get('cache-control')]).toEqual([
    304,
    script.headers.get('cache-control'),
  ])
  const head = await get('/icon.svg', { method: 'HEAD' })
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '6'])
  const page = await get('/')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const etag = page.headers.get('etag') ?? ''
  expect(await get('/', { headers: { 'if-none-match': etag } })).toMatchObject({
    status: 304,
    text: '',
  })
  expect((await get('/icon.svg')).headers.get('content-type')).toContain('image/svg+xml')
})

it('gives the page at its addresses to whoever reads HTML, and leaves the rest to others', async () => {
  const { folder, get } = aSite()
  build(folder)
  expect((await get('/servers')).text).toContain('id="app"')
  const others = [
    await get('/servers', { headers: { accept: 'application/json' } }),
    await get('/servers', { method: 'POST' }),
    await get('/servers/files'),
    await get('/assets/gone-12345678.js'),
    await get('/assets'),
    await get('/static'),
    await get('/static/icon'),
  ]
  expect(others).toMatchObject(others.map(() => ({ status: 404, text: 'next' })))
  for (const path of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt'])
    expect((await get(path)).text).not.toContain('outside')
})

it('lets pages load nothing from elsewhere, and nobody frame them', async () => {
  const { folder, get } = aSite()
  build(folder)
  const { headers } = await get('/')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})
