import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'
import { type WebSite, startWebSite } from '../../../../test/support/web-site.ts'
import { FETCH_OPTIONS, fetchUrl } from './fetch-url.ts'
import { checkUrl } from './guard-address.ts'
import { parseRobots } from './robots.ts'

describe('the address guard', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost:80/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
  ])('refuses %s', async (url) => {
    await expect(fetchUrl(url, FETCH_OPTIONS)).rejects.toMatchObject({ code: 'blocked' })
  })

  it.each(['file:///etc/passwd', 'ftp://example.org/', 'http://user:pw@example.org/', 'nonsense'])(
    'refuses %s outright',
    (url) => {
      expect(() => checkUrl(url, FETCH_OPTIONS)).toThrow(/./)
    },
  )

  it('checks every hop of a redirect', async () => {
    const site = await startWebSite({
      '/': { status: 302, headers: { location: 'http://169.254.169.254/' } },
    })
    const options = { ...FETCH_OPTIONS, allowedHosts: [site.host] }
    await expect(fetchUrl(site.origin, options)).rejects.toMatchObject({ code: 'blocked' })
    await site.close()
  })

  it('stops at the size limit, also of what unpacks to more than it sends', async () => {
    const body = gzipSync(new Uint8Array(5_000_000))
    const site = await startWebSite({ '/': { body, headers: { 'content-encoding': 'gzip' } } })
    const options = { ...FETCH_OPTIONS, allowedHosts: [site.host], maxBytes: 1_000_000 }
    await expect(fetchUrl(site.origin, options)).rejects.toMatchObject({ code: 'too_large' })
    await site.close()
  })
})

it('reads robots.txt as RFC 9309 says: own group, longest rule, wildcards', () => {
  const robots = parseRobots(
    'User-agent: other\nDisallow: /\n\nUser-agent: portolan-knowledge\nUser-agent: x\nDisallow: /private\nAllow: /private/open$\nDisallow: /*.pdf$ # no files\nCrawl-delay: 2\n\nUser-agent: *\nDisallow: /',
    'portolan-knowledge',
  )
  const allowed = (path: string) => robots.isAllowed(`http://h${path}`)
  expect([
    allowed('/'),
    allowed('/private/x'),
    allowed('/private/open'),
    allowed('/a.pdf'),
    allowed('/a.pdf?x'),
  ]).toEqual([true, false, true, false, true])
  expect(robots.crawlDelay).toBe(2)
})

describe('web pages', () => {
  let site: WebSite
  let knowledge: RunningKnowledge

  beforeEach(async () => {
    site = await startWebSite({
      '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /secret' },
      '/': {
        etag: '"1"',
        body: page('Home', 'welcome harbour', ['/a', '/secret', '/skip/x', 'http://example.org/']),
      },
      '/a': { body: page('Anchors', 'anchors hold ships in storms', ['/deep', '/']) },
      '/deep': { body: page('Deep', 'deep water', []) },
      '/secret': { body: page('Secret', 'hidden treasure', []) },
      '/skip/x': { body: page('Skipped', 'skipped page', []) },
      '/broken': { status: 500 },
    })
    knowledge = await startKnowledge({ fetch: { allowedHosts: [site.host] } })
  })
  afterEach(async () => {
    await knowledge.close()
    await site.close()
  })

  it('are stored and searchable as soon as they are acquired, with menus left out', async () => {
    const answer = await knowledge.ask('knowledge_acquire', {
      url: `${site.origin}/a`,
      reason: 'anchors',
    })
    expect(answer).toMatchObject({
      acquired: true,
      title: 'Anchors',
      word_count: expect.any(Number),
      reason: 'anchors',
    })
    const found = await knowledge.ask('knowledge_search', { query: 'anchors storms' })
    expect(listOf(found, 'results')[0]).toMatchObject({ document_title: 'Anchors' })
    expect(JSON.stringify(found)).not.toContain('menu')
    expect(
      listOf(await knowledge.ask('knowledge_sources', { source_type: 'web' }), 'sources'),
    ).toHaveLength(1)
  })

  it('are read in the encoding that the server names', async () => {
    const body = Buffer.from(
      '<title>t</title><p>\u00f0\u00d2\u00c9\u00d7\u00c5\u00d4</p>',
      'latin1',
    )
    site.pages['/koi'] = { type: 'text/html; charset=koi8-r', body }
    await knowledge.ask('knowledge_ingest', { url: `${site.origin}/koi` })
    const found = await knowledge.ask('knowledge_search', { query: 'привет' })
    expect(JSON.stringify(found)).toContain('Привет')
  })

  it('are checked for real before they are acquired', async () => {
    expect(await knowledge.ask('knowledge_preflight', { url: `${site.origin}/a` })).toMatchObject({
      accessible: true,
      robots_checked: true,
      error: null,
    })
    expect(site.requests).toEqual(['200 /robots.txt', '200 /a'])
    expect(
      await knowledge.ask('knowledge_preflight', { url: `${site.origin}/secret` }),
    ).toMatchObject({
      accessible: false,
      robots_checked: true,
      error: expect.stringContaining('robots.txt'),
    })
    expect(
      await knowledge.ask('knowledge_preflight', {
        url: `${site.origin}/secret`,
        check_robots: false,
      }),
    ).toMatchObject({
      accessible: true,
      robots_checked: false,
    })
    expect(
      await knowledge.ask('knowledge_preflight', { url: `${site.origin}/broken` }),
    ).toMatchObject({ accessible: false })
    expect(
      await knowledge.ask('knowledge_preflight', { url: 'http://169.254.169.254/' }),
    ).toMatchObject({
      accessible: false,
      error: expect.stringContaining('private'),
    })
  })

  it('are not acquired against robots.txt', async () => {
    const refused = await knowledge.ask('knowledge_acquire', { url: `${site.origin}/secret` })
    expect(refused).toMatchObject({ acquired: false, source_id: null })
    expect(
      (await knowledge.call('knowledge_ingest', { url: `${site.origin}/secret` }))['isError'],
    ).toBe(true)
    expect(site.requests).not.toContain('200 /secret')
  })

  it('are followed as deep as asked, within the site and the patterns', async () => {
    const answer = await knowledge.ask('knowledge_ingest', {
      url: `${site.origin}/`,
      depth: 1,
      exclude: ['/skip/**'],
    })
    const status = Object.fromEntries(
      listOf(answer, 'sources').map(({ url, status: state }) => [
        String(url).replace(site.origin, ''),
        state,
      ]),
    )
    expect(status).toEqual({ '/': 'stored', '/a': 'stored', '/secret': 'failed' })
  })

  it('are not sent again when they have not changed, and their links are still followed', async () => {
    const args = { url: `${site.origin}/`, depth: 1, include: ['/a'] }
    await knowledge.ask('knowledge_ingest', args)
    site.requests.length = 0
    const answer = await knowledge.ask('knowledge_ingest', args)
    expect(site.requests).toContain('304 /')
    expect(site.requests).toContain('200 /a')
    expect(answer['message']).toBe('2 unchanged')
    site.pages['/'] = { etag: '"2"', body: page('Home', 'a lighthouse was added', []) }
    await knowledge.ask('knowledge_ingest', args)
    expect(
      listOf(await knowledge.ask('knowledge_search', { query: 'lighthouse' }), 'results'),
    ).toHaveLength(1)
    expect(
      listOf(await knowledge.ask('knowledge_search', { query: 'welcome' }), 'results'),
    ).toHaveLength(0)
  })

  it('have links that are relative to where they were redirected, also when unchanged', async () => {
    site.pages['/docs'] = { status: 301, headers: { location: '/docs/' } }
    site.pages['/docs/'] = { etag: '"1"', body: page('Docs', 'how to moor', ['knots', './', '/']) }
    site.pages['/docs/knots'] = { body: page('Knots', 'a bowline', []) }
    const args = { url: `${site.origin}/docs`, depth: 1, include: ['/docs/**', '/knots'] }
    const first = await knowledge.ask('knowledge_ingest', args)
    expect(listOf(first, 'sources').map(({ url, status }) => [url, status])).toEqual([
      [`${site.origin}/docs`, 'stored'],
      [`${site.origin}/docs/knots`, 'stored'],
    ])
    site.requests.length = 0
    expect((await knowledge.ask('knowledge_ingest', args))['message']).toBe('2 unchanged')
    expect(site.requests.filter((request) => !request.includes('robots'))).toEqual([
      '301 /docs',
      '304 /docs/',
      '200 /docs/knots',
    ])
  })

  it('are followed where their site has moved, by the rules there, but nowhere else', async () => {
    const old = await startWebSite({
      '/': { status: 301, headers: { location: `${site.origin}/` } },
    })
    site.pages['/a'] = { status: 302, headers: { location: `${old.origin}/elsewhere` } }
    old.pages['/elsewhere'] = { body: page('Elsewhere', 'another page', []) }
    const moved = await startKnowledge({ fetch: { allowedHosts: [site.host, old.host] } })
    const answer = await moved.ask('knowledge_ingest', { url: `${old.origin}/`, depth: 1 })
    expect(listOf(answer, 'sources').map(({ url, status }) => [url, status])).toEqual([
      [`${old.origin}/`, 'stored'],
      [`${site.origin}/a`, 'stored'],
      [`${site.origin}/secret`, 'failed'],
      [`${site.origin}/skip/x`, 'stored'],
    ])
    await moved.close()
    await old.close()
  })

  it('can be asked for, and the request is settled when they are acquired', async () => {
    const url = `${site.origin}/deep`
    expect(await knowledge.ask('knowledge_request', { url, priority: 1 })).toMatchObject({
      status: 'pending',
      priority: 1,
    })
    await knowledge.ask('knowledge_acquire', { url })
    const [row] = await knowledge.storage.db.selectFrom('knowledge_requests').selectAll().execute()
    expect(row).toMatchObject({ status: 'done', requested_by: 'tester' })
  })
})

function page(title: string, text: string, links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">link</a>`).join(' ')
  return `<title>${title}</title><nav>menu ${anchors}</nav><main><h1>${title}</h1><p>${text}</p></main>`
}
