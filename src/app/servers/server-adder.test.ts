import { expect, it } from 'vitest'
import { SNAPSHOT } from '../../../test/support/a-registry.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../../config/load.ts'
import { readLock } from '../../config/lock/lock-file.ts'
import { listVersions } from '../../config/history/list-versions.ts'
import { createServerAdder } from './server-adder.ts'

function anAdder() {
  const folder = tempFolder()
  const env = {
    PATH: process.env['PATH'],
    HOME: folder.path,
    PORTOLAN_HOME: folder.file('data'),
    PORTOLAN_REGISTRIES: SNAPSHOT,
  }
  const place = { cwd: folder.path, env }
  const load = () => loadConfig(place)
  const file = folder.file('data/mcp.json')
  return {
    folder,
    place,
    file,
    load,
    adder: createServerAdder({ place, settings: load().settings, file }),
  }
}

it('adds a server of the registry as one version, with its secret stored apart', async () => {
  const { adder, folder, load, place } = anAdder()
  const { hits } = await adder.search(['airtable'])
  const [plan] = await adder.plan(
    { kind: 'registry', registryName: hits[0]?.server.name ?? '' },
    { sandbox: false },
  )
  if (!plan) throw new Error('no plan')
  const filled = adder.complete(plan, { AIRTABLE_API_KEY: 'pat123' })
  await adder.save([{ filled }], 'ada')
  expect(folder.read('data/mcp.json')).not.toContain('pat123')
  expect(load().servers.get('airtable')).toMatchObject({
    command: 'npx',
    args: ['-y', 'airtable-mcp-server@1.7.3'],
    env: { AIRTABLE_API_KEY: 'pat123' },
  })
  const [version] = await listVersions(place)
  expect(version).toMatchObject({ author: 'ada', message: 'server add airtable' })
  expect(version?.files).toHaveLength(2)
  await expect(
    adder.plan({ kind: 'builtin', builtin: 'code' }, { name: 'airtable' }),
  ).rejects.toThrow('already')
})

it('tests a built-in and an API before they are saved', async () => {
  const { adder, folder } = anAdder()
  folder.write('shop.json', {
    openapi: '3.0.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://shop.example' }],
    paths: { '/orders': { get: { operationId: 'orders', responses: {} } } },
  })
  const openapi = folder.file('shop.json')
  const [api] = await adder.plan({ kind: 'openapi', openapi }, { name: 'shop' })
  const [code] = await adder.plan({ kind: 'builtin', builtin: 'code' }, { name: 'mycode' })
  if (!api || !code) throw new Error('no plan')
  const tried = await adder.test(adder.complete(api, {}), 20_000)
  expect(tried.probe).toMatchObject({ tools: 1 })
  const ofCode = await adder.test(adder.complete(code, {}), 20_000)
  expect(ofCode.probe.tools).toBeGreaterThan(3)
  const wrong = { ...code, entry: { builtin: 'cod' } }
  expect(() => adder.complete(wrong, {})).toThrow('must be one of')
})

it('adds nothing to a file that has mistakes', async () => {
  const { adder, folder, file } = anAdder()
  folder.write('data/mcp.json', '{"mcpServers": [')
  await expect(adder.plan({ kind: 'builtin', builtin: 'code' }, { name: 'c' })).rejects.toThrow(
    file,
  )
  expect(folder.read('data/mcp.json')).toBe('{"mcpServers": [')
  expect(readLock(folder.file('data/mcp.lock'))).toBeUndefined()
})
