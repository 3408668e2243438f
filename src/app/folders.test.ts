import { expect, it } from 'vitest'
import { z } from 'zod'
import { connectTo, openTestFolders } from '../../test/support/open-folders.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createService } from '../builtins/kit/create-service.ts'
import { defineTool } from '../builtins/kit/define-tool.ts'
import type { OpenService } from './upstreams/upstream-pool.ts'

const where = defineTool({
  name: 'where',
  description: 'Where this runs',
  input: z.object({}),
  annotations: { readOnlyHint: true },
  run: async (_, deps: { place: string }) => deps.place,
})

/** A server that tells its folder and the value of one variable there. */
const openWhere: OpenService = async (_server, _settings, { cwd, env }) =>
  createService({
    name: 'where',
    version: '1',
    tools: [where],
    deps: { place: `${cwd} ${env['TOKEN'] ?? 'none'}` },
  })

function aFolder() {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { here: { builtin: 'knowledge' } } })
  folder.write('portolan.yaml', {
    builtins: { code: false, knowledge: false, traces: false },
  })
  return folder
}

const call = async (client: Awaited<ReturnType<typeof connectTo>>) =>
  client.request('tools/call', { name: 'where', arguments: {} })

/** What a call says, whether it was answered or refused. */
const outcomeOf = async (client: Awaited<ReturnType<typeof connectTo>>) =>
  call(client).then((result) => JSON.stringify(result), String)

const said = (text: string) => ({ content: [{ type: 'text', text }] })

it('serves each client its own folder, and records all of them in one place', async () => {
  const { folders, at } = openTestFolders({ openService: openWhere })
  const [one, two] = [aFolder(), aFolder()]
  const first = await folders.open(at(one))
  const second = await folders.open(at(two, { TOKEN: 'two' }))
  const [ada, bob] = [await connectTo(first.app, 'ada'), await connectTo(second.app, 'bob')]
  expect(await call(ada)).toMatchObject(said(`${one.path} none`))
  expect(await call(bob)).toMatchObject(said(`${two.path} two`))
  const calls = folders.main.feed.recent().filter(({ tool }) => tool === 'where')
  expect(calls.map(({ folder }) => folder)).toEqual([one.path, two.path])
  const { records } = await folders.main.auditSearch.search({ folder: one.path, limit: 10 })
  expect(records.filter((record) => JSON.stringify(record).includes('"where"'))).toHaveLength(1)
  expect(first.app.keys).toBe(second.app.keys)
})

it('names the open folders, the main one first, each with its own servers', async () => {
  const { folders, at, main } = openTestFolders({ openService: openWhere, idleMs: 1 })
  const folder = aFolder()
  const opened = await folders.open(at(folder))
  const open = () => folders.main.folders().map(({ path }) => path)
  expect(open()).toEqual([main.path, folder.path])
  const [, second] = folders.main.folders()
  expect(second?.world.catalog.servers.map(({ name }) => name)).toEqual(['here'])
  opened.release()
  await expect.poll(open).toEqual([main.path])
})

it('opens a folder once for equal clients, and separately for other variables', async () => {
  const { folders, at, main } = openTestFolders()
  const folder = aFolder()
  const first = await folders.open(at(folder))
  expect((await folders.open(at(folder))).app).toBe(first.app)
  expect((await folders.open(at(folder, { TOKEN: 'x' }))).app).not.toBe(first.app)
  expect((await folders.open(at(main))).app).toBe(folders.main)
})

it('closes a folder some time after its last client has gone, and never the main one', async () => {
  const { folders, at, main } = openTestFolders({ idleMs: 5 })
  const folder = aFolder()
  const [first, second] = [await folders.open(at(folder)), await folders.open(at(folder))]
  const mainFolder = await folders.open(at(main))
  const reopened = async () => {
    const again = await folders.open(at(folder))
    again.release()
    return again.app
  }
  first.release()
  first.release()
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(await reopened()).toBe(second.app)
  second.release()
  mainFolder.release()
  await expect.poll(reopened, { interval: 50 }).not.toBe(second.app)
  expect((await folders.open(at(main))).app).toBe(folders.main)
})

it('refuses a folder whose settings apply to a whole process and differ', async () => {
  const { folders, at } = openTestFolders()
  const folder = tempFolder()
  folder.write('portolan.yaml', { audit: { path: 'elsewhere.jsonl' }, surface: 'discover' })
  await expect(folders.open(at(folder))).rejects.toThrow(
    'The running gateway has other settings than this folder: audit.path',
  )
  folder.write('portolan.yaml', { surface: 'discover' })
  expect((await folders.open(at(folder))).app.config.settings.surface).toBe('discover')
})

it('a reload of one folder gives agents of another no fresh start', async () => {
  const { folders, at } = openTestFolders({ openService: openWhere })
  const [one, two] = [aFolder(), aFolder()]
  const builtins = { code: false, knowledge: false, traces: false }
  for (const [folder, ratePerMinute] of [
    [one, 2],
    [two, 3],
  ] as const)
    folder.write('portolan.yaml', { builtins, limits: { ratePerMinute, burst: 2 } })
  const first = await folders.open(at(one))
  const second = await folders.open(at(two))
  const ada = await connectTo(first.app, 'ada')
  await call(ada)
  await call(ada)
  const refused = expect.stringContaining('has used up its calls')
  expect(await outcomeOf(ada)).toEqual(refused)
  two.write('.mcp.json', { mcpServers: { other: { command: 'x' } } })
  await second.app.reload()
  one.write('.mcp.json', { mcpServers: { here: { builtin: 'knowledge', timeout_ms: 5000 } } })
  await first.app.reload()
  expect(await outcomeOf(ada)).toEqual(refused)
})

it('reloads the folder whose files changed, and no other', async () => {
  const { folders, at } = openTestFolders()
  const [one, two] = [aFolder(), aFolder()]
  const first = await folders.open(at(one))
  const second = await folders.open(at(two))
  const before = second.app.world
  one.write('.mcp.json', { mcpServers: { other: { command: 'x' } } })
  await first.app.reload()
  expect(first.app.world.catalog.servers.map(({ name }) => name)).toEqual(['other'])
  expect(second.app.world).toBe(before)
})
