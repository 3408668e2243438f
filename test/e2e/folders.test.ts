import { expect, it, onTestFinished } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { FolderRequest } from '../../src/app/folders.ts'
import { beginTask } from '../support/clients/extensions.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { connectTo, openTestFolders } from '../support/open-folders.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A server whose answers show whose it is, and a cache that keeps them. */
const GITHUB = { ...stdioUpstream('--name', '${TOKEN}'), env: { TOKEN: '${TOKEN}' } }
const SETTINGS = {
  cache: { tools: { 'github.whoami': { ttlMs: 600_000, shared: true } } },
  tasks: { offerAfterMs: 50 },
  scripts: { enabled: true },
  builtins: { code: false, knowledge: false, traces: false },
}

function aFolder(servers: object = { github: GITHUB }) {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: servers })
  folder.write('portolan.yaml', SETTINGS)
  return folder
}

/** Asks twice for what may be cached, beside the other. */
async function accountsOf(client: RawClient) {
  const asked = await Promise.all([call(client, 'whoami'), call(client, 'whoami')])
  return asked.map((result) => Object(structured(result)['env']).TOKEN)
}

async function pidOf(client: RawClient): Promise<unknown> {
  return structured(await call(client, 'whoami'))['pid']
}

/** How often a client was told of a change of a resource that it watches. */
function updates({ heard }: RawClient): number {
  return heard.filter(({ method }) => method === 'notifications/resources/updated').length
}

/** Everything that could tell one client what belongs to the other, who has another credential. */
async function expectApart(one: App, other: App) {
  const [ada, eve] = [await connectTo(one, 'ada'), await connectTo(other, 'eve')]
  expect(await toolNames(eve)).not.toContain('added')
  await call(ada, 'add_tool', { name: 'added' })
  await expect.poll(async () => toolNames(ada)).toContain('added')
  expect(await toolNames(eve), 'listing').not.toContain('added')

  const both = await Promise.all([accountsOf(ada), accountsOf(eve)])
  expect(both, 'cached results and requests under way').toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ])

  await ada.subscribe(['test://github+text'])
  await eve.subscribe(['test://github+text'])
  const before = updates(eve)
  await call(ada, 'touch')
  await expect.poll(() => updates(ada)).toBeGreaterThan(0)
  expect(updates(eve), 'subscriptions').toBe(before)

  const discovering = await connectTo(one, 'ada', 'discover')
  const large = await discovering.request('tools/call', {
    name: 'execute_tool',
    arguments: { server: 'github', tool: 'big', args: { bytes: 100_000 }, max_tokens: 200 },
  })
  const handle = /r_[0-9a-f]{10}/.exec(JSON.stringify(large))?.[0]
  const reading = { name: 'read_result', arguments: { handle, limit: 1 } }
  expect(textOf(await discovering.request('tools/call', reading))).not.toContain('No kept result')
  const stealing = await connectTo(other, 'eve', 'discover')
  expect(textOf(await stealing.request('tools/call', reading)), 'handles').toContain(
    'No kept result',
  )

  const code = 'return tools.github.echo({ text: "done" })'
  const run = await beginTask(discovering, { name: 'run_script', arguments: { code } })
  expect(await discovering.request('tasks/get', { taskId: run })).toMatchObject({ taskId: run })
  expect(await refusal(stealing.request('tasks/get', { taskId: run })), 'scripts').toMatchObject({
    code: -32602,
  })

  const taskId = await beginTask(ada, { name: 'slow', arguments: { ms: 300, steps: 1 } })
  expect(await ada.request('tasks/get', { taskId })).toMatchObject({ taskId })
  expect(await refusal(eve.request('tasks/get', { taskId })), 'tasks').toMatchObject({
    code: -32602,
  })
}

it('nothing crosses between clients of one folder with different values of a variable', async () => {
  const { folders, at } = openTestFolders()
  const folder = aFolder()
  const one = await folders.open(at(folder, { TOKEN: 'one' }))
  const two = await folders.open(at(folder, { TOKEN: 'two' }))
  expect(one.app).not.toBe(two.app)
  await expectApart(one.app, two.app)
  await Promise.all([one.app.restart('github'), two.app.reload()])
  await expectApart(one.app, two.app)
})

it('nothing crosses between two folders with servers of one name', async () => {
  const { folders, at } = openTestFolders()
  const one = await folders.open(at(aFolder(), { TOKEN: 'one' }))
  const two = await folders.open(at(aFolder(), { TOKEN: 'two' }))
  expect(one.app).not.toBe(two.app)
  await expectApart(one.app, two.app)
})

it('a server that fails in one folder is not switched off in another', async () => {
  const { folders, at } = openTestFolders()
  const [failing, working] = [await startHttpUpstream(), await startHttpUpstream()]
  onTestFinished(async () => void (await Promise.all([failing.close(), working.close()])))
  const folder = aFolder({ github: { url: '${URL}' } })
  const one = await folders.open(at(folder, { URL: failing.url }))
  const two = await folders.open(at(folder, { URL: working.url }))
  const [ada, eve] = [await connectTo(one.app, 'ada'), await connectTo(two.app, 'eve')]
  expect(textOf(await call(ada, 'echo', { text: 'works' }))).toBe('works')
  await failing.close()
  for (let n = 0; n < 6; n++) await call(ada, 'echo', { text: `${n}` }).catch(() => undefined)
  expect(one.app.circuits()).toEqual({ github: 'open' })
  expect(two.app.circuits()).not.toMatchObject({ github: 'open' })
  expect(textOf(await call(eve, 'echo', { text: 'works' }))).toBe('works')
})

/** Two folders with the same entry, which says where its program runs and depends on no variable. */
async function twoAlike(opened: ReturnType<typeof openTestFolders>) {
  const { folders, at, main } = opened
  const servers = { github: { ...stdioUpstream(), cwd: main.path } }
  const [one, two] = [aFolder(servers), aFolder(servers)]
  const open = async (request: FolderRequest) => folders.open(request)
  return { one, two, first: await open(at(one)), second: await open(at(two)) }
}

it('folders with equal entries share a server, which ends with the last of them', async () => {
  const opened = openTestFolders({ idleMs: 1 })
  const { first, second } = await twoAlike(opened)
  const [ada, bob] = [await connectTo(first.app, 'ada'), await connectTo(second.app, 'bob')]
  const pid = await pidOf(ada)
  expect(await pidOf(bob)).toBe(pid)
  await ada.close()
  first.release()
  await expect.poll(() => first.app.world.catalog.servers[0]?.status.state).toBe('ready')
  expect(await pidOf(bob)).toBe(pid)
  await bob.close()
  second.release()
  await expect.poll(() => isRunning(Number(pid))).toBe(false)
})

it('servers of the user run once for all folders, also after a reload, and some in each', async () => {
  const { folders, at, main } = openTestFolders()
  const upstream = stdioUpstream()
  main.write('data/mcp.json', {
    mcpServers: { once: upstream, each: { ...upstream, scope: 'folder' } },
  })
  const [one, two] = [aFolder({}), aFolder({})]
  const clients: RawClient[] = []
  for (const folder of [one, two]) {
    const { app } = await folders.open(at(folder))
    clients.push(await connectTo(app, folder.path))
  }
  /** One after the other: until a server has answered, each client has a process of its own. */
  const programs = async (name: string) => {
    const found: { pid: unknown; cwd: unknown }[] = []
    for (const client of clients) {
      const { pid, cwd } = structured(await call(client, `${name}__whoami`))
      found.push({ pid, cwd })
    }
    return found
  }
  const before = await programs('once')
  expect(before).toEqual([before[0], before[0]])
  expect(before[0]?.cwd).toBe(main.path)
  expect((await programs('each')).map(({ cwd }) => cwd)).toEqual([one.path, two.path])
  main.write('data/mcp.json', {
    mcpServers: {
      once: { ...upstream, env: { NEW: '1' } },
      each: { ...upstream, scope: 'folder' },
    },
  })
  await Promise.all(folders.main.folders().map(async (folder) => folder.reload()))
  const after = await programs('once')
  expect(after).toEqual([after[0], after[0]])
  expect(after[0]?.pid).not.toBe(before[0]?.pid)
  await expect.poll(() => isRunning(Number(before[0]?.pid))).toBe(false)
})

it('a folder whose entry changes leaves a shared server to the others, with its subscriptions', async () => {
  const opened = openTestFolders()
  const { one, first, second } = await twoAlike(opened)
  const [ada, bob] = [await connectTo(first.app, 'ada'), await connectTo(second.app, 'bob')]
  const pid = await pidOf(ada)
  await ada.subscribe(['test://github+text'])
  one.write('.mcp.json', {
    mcpServers: { github: { ...stdioUpstream('--name', 'own'), cwd: opened.main.path } },
  })
  await first.app.reload()
  expect(await pidOf(bob)).toBe(pid)
  const own = await pidOf(ada)
  expect(own).not.toBe(pid)
  await expect.poll(async () => (await call(ada, 'touch'), updates(ada))).toBeGreaterThan(0)
  const before = updates(ada)
  await call(bob, 'touch')
  expect(updates(ada)).toBe(before)
})

it('a folder that loses its trust loses a shared server, and the other folder keeps it', async () => {
  let declined: string | undefined
  const opened = openTestFolders({}, (path) => ({
    verdict: declined !== undefined && path.startsWith(declined) ? 'declined' : 'trusted',
  }))
  const { one, first, second } = await twoAlike(opened)
  const [ada, bob] = [await connectTo(first.app, 'ada'), await connectTo(second.app, 'bob')]
  const pid = await pidOf(ada)
  declined = one.path
  await Promise.all([first.app.reload(), second.app.reload()])
  await expect(pidOf(ada)).rejects.toThrow("Unknown tool: 'whoami'")
  expect(await pidOf(bob)).toBe(pid)
})

it('restarting a shared server replaces it for all of its folders', async () => {
  const opened = openTestFolders()
  const { first, second } = await twoAlike(opened)
  const [ada, bob] = [await connectTo(first.app, 'ada'), await connectTo(second.app, 'bob')]
  const pid = await pidOf(ada)
  await second.app.restart('github')
  const fresh = await pidOf(ada)
  expect(fresh).not.toBe(pid)
  expect(await pidOf(bob)).toBe(fresh)
  await expect.poll(() => isRunning(Number(pid))).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('all open folders read their files again when they are told to, as on SIGHUP', async () => {
  const { folders, at } = openTestFolders()
  const opened = [await folders.open(at(aFolder())), await folders.open(at(aFolder()))]
  const attempts = async ({ app }: (typeof opened)[number]) => {
    const client = await connectTo(app, 'client', 'discover')
    const { reload_status: status } = structured(await call(client, 'get_gateway_status'))
    return Object(status).mcp_config.attempt_count
  }
  expect(await Promise.all(opened.map(attempts))).toEqual([0, 0])
  await folders.reload()
  expect(await Promise.all(opened.map(attempts))).toEqual([1, 1])
})
