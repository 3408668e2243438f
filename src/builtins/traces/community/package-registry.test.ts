import { describe, expect, it, onTestFinished } from 'vitest'
import { DAY_MS, aTracesService } from '../../../../test/support/a-traces-service.ts'
import {
  type Answer,
  type TestServer,
  sendJson,
  serveHttp,
} from '../../../../test/support/http-server.ts'
import { PypiRegistry } from './package-registry.ts'
import { isOlder } from './check-staleness.ts'

/** A registry as PyPI is one, that knows the given packages. */
async function aRegistry(versions: Record<string, string>, answer?: Answer): Promise<TestServer> {
  const server = await serveHttp((request, response) => {
    if (answer) return answer(request, response)
    const [, name = ''] = /^\/pypi\/([^/]+)\/json$/.exec(request.url.pathname) ?? []
    const version = versions[name]
    return version === undefined
      ? sendJson(response, { message: 'Not Found' }, 404)
      : sendJson(response, { info: { name, version }, releases: {} })
  })
  onTestFinished(async () => server[Symbol.asyncDispose]())
  return server
}

const django = (version: string, language = 'python') => ({
  metadata_json: { language, library: 'Django', library_version: version },
})

describe('a trace about a library', () => {
  it('is marked as stale when the registry has a newer minor version', async () => {
    const { url, seen } = await aRegistry({ django: '5.2.1' })
    const traces = await aTracesService({ settings: { packageRegistryUrl: url } })
    const agent = await traces.account()
    const isStale = async (id: string) => (await agent.get(`/traces/${id}`)).body.is_stale
    const [old, current] = [
      await agent.contribute(django('4.2.9')),
      await agent.contribute(django('5.2.0')),
    ]
    const foreign = await agent.contribute(django('1.0', 'ruby'))
    await traces.settle()
    expect([await isStale(old), await isStale(current), await isStale(foreign)]).toEqual([
      true,
      false,
      false,
    ])
    expect(seen.map((request) => request.url.pathname)).toContain('/pypi/django/json')
  })

  it('is looked at again by consolidation, as the library moves on', async () => {
    const versions = { django: '5.1' }
    const { url } = await aRegistry(versions)
    const traces = await aTracesService({ settings: { packageRegistryUrl: url } })
    const agent = await traces.account()
    const id = await agent.contribute(django('5.1'))
    await traces.settle()
    versions.django = '6.0'
    const later = await aTracesService({
      place: traces.place,
      settings: { packageRegistryUrl: url },
    })
    later.travel(DAY_MS)
    await later.consolidate()
    expect((await agent.get(`/traces/${id}`)).body.is_stale).toBe(true)
  })

  it('asks nobody unless a registry is named', async () => {
    const traces = await aTracesService()
    expect(traces.deps.registry).toBeUndefined()
  })
})

describe('the registry', () => {
  it.each<[string, Answer]>([
    ['fails', (_, response) => response.writeHead(500).end()],
    ['talks nonsense', (_, response) => response.end('<html>')],
    ['leads elsewhere', (_, response) => response.writeHead(302, { Location: '/x' }).end()],
    ['never ends', (_, response) => response.write('{"info":')],
    ['sends too much', (_, response) => response.end(' '.repeat(9 * 1024 * 1024))],
  ])('counts as not knowing when it %s, and is asked again', async (_, answer) => {
    const { url, seen } = await aRegistry({}, answer)
    const registry = new PypiRegistry(url)
    expect(await registry.latestVersion('django')).toBeUndefined()
    expect(await registry.latestVersion('django')).toBeUndefined()
    expect(seen).toHaveLength(2)
  })

  it('is asked once for each package, and never for what is no name', async () => {
    const { url, seen } = await aRegistry({ 'zope-interface': '7.2' })
    const registry = new PypiRegistry(`${url}/`)
    expect(await registry.latestVersion('zope.interface')).toBe('7.2')
    expect(await registry.latestVersion('Zope_Interface')).toBe('7.2')
    expect(await registry.latestVersion('unheard-of')).toBeUndefined()
    expect(await registry.latestVersion('unheard-of')).toBeUndefined()
    for (const name of ['../../etc/passwd', 'a/b', 'http://elsewhere', '', '-x', 'a?b=c'])
      expect(await registry.latestVersion(name)).toBeUndefined()
    expect(seen).toHaveLength(2)
  })
})

it.each([
  ['4.2.9', '5.0', true],
  ['5.1', '5.2.3', true],
  ['v5.1', '5.2', true],
  ['>=5.1', '5.2', true],
  ['5.2.0', '5.2.9', false],
  ['5', '5.9', false],
  ['4', '5.0', true],
  ['6.0', '5.9', false],
  ['10.0', '9.5', false],
  ['latest', '5.0', false],
  ['5.0', 'unknown', false],
])('%s beside %s is older: %s', (version, latest, expected) => {
  expect(isOlder(version, latest)).toBe(expected)
})
