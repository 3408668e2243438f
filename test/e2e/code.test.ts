import { pathToFileURL } from 'node:url'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { type RootedClient, aRootedClient } from '../support/clients/rooted-client.ts'
import { SHOP, aFolder, aProject, git } from '../support/code-project.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startStandalone } from '../support/standalone.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const CONTRACT =
  'search_code analyze_query index_codebase index_stats list_indexes clear_index open_dashboard get_file_dependencies get_file_impact get_batch_dependencies get_batch_impact'.split(
    ' ',
  )
const OURS = ['find_symbol', 'find_references', 'outline']
const EVERY = [...CONTRACT, ...OURS].toSorted()

/** The projects of these tests lie anywhere below: clients over the network may read them all. */
const OPEN = { PORTOLAN_CODE_FOLDERS: tmpdir() }

const uri = (path: string): string => pathToFileURL(path).href

/** What a search says of itself, and the file of its best result. */
async function search(client: RootedClient, query = 'totalPrice') {
  const answer = await client.call('search_code', { query })
  const items: Record<string, unknown>[] = Array.isArray(answer) ? answer : []
  const file = items.find((item) => 'file_path' in item)?.['file_path']
  return { ...items[0], file, hints: items.filter(({ type }) => type === 'hint').length }
}

interface Where {
  readonly env?: Record<string, string>
}

/** A program of ours in this folder, talked to over its stdin and stdout. */
function aProgram(folder: TempFolder, args: readonly string[], { env = {} }: Where = {}) {
  const whole = Object.entries(gatewayEnv(folder, env))
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, ...args],
    cwd: folder.path,
    env: Object.fromEntries(whole.map(([key, value]) => [key, value ?? ''])),
    stderr: 'ignore',
  })
}

/** The transports of the server by itself, each to a server of its own in this folder. */
const TRANSPORTS: readonly (readonly [
  name: string,
  open: (folder: TempFolder, where?: Where) => Promise<Transport>,
])[] = [
  ['stdio', async (folder, where) => aProgram(folder, ['code', 'mcp'], where)],
  [
    'Streamable HTTP',
    async (folder, { env } = {}) => {
      const { url } = await startStandalone(folder, ['code', 'mcp'], env)
      return new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
    },
  ],
  [
    'SSE',
    async (folder, { env } = {}) => {
      const { url } = await startStandalone(folder, ['code', 'mcp'], env)
      return new SSEClientTransport(new URL(`${url}/sse`))
    },
  ],
]

describe('code search through the gateway', () => {
  const RULES = {
    agents: {
      developer: { allow: { servers: ['*'] } },
      reader: { allow: { servers: ['code'], tools: { code: ['search_code', 'find_*'] } } },
      stranger: { deny: { servers: ['code'] } },
    },
  }

  async function aTeam(...agents: string[]): Promise<RootedClient[]> {
    const gateway = await openGateway({
      servers: { code: { builtin: 'code' } },
      rules: RULES,
      env: OPEN,
    })
    const root = uri(aProject(SHOP))
    return Promise.all(
      agents.map(async (agent) => {
        const url = new URL(`${gateway.url}/mcp?surface=direct`)
        const requestInit = { headers: { 'x-agent-id': agent } }
        return aRootedClient(new StreamableHTTPClientTransport(url, { requestInit }), root)
      }),
    )
  }

  it('offers all its tools to whom the rules allow it, and each works', async () => {
    const [client] = await aTeam('developer')
    if (!client) throw new Error('nobody there')
    expect((await client.tools()).toSorted()).toEqual(EVERY)
    expect(await client.call('search_code', { query: 'cart' })).toMatchObject([
      { error: 'Index not found', results: [] },
    ])
    const indexed = await client.call('index_codebase', { path: '.' })
    expect(indexed).toMatchObject({ success: true, stats: { files_added: 4 } })
    const index_name = String(Object(indexed).index_name)
    expect(await search(client)).toMatchObject({
      type: 'search_context',
      index_name,
      project_source: 'roots',
      file: 'src/cart.ts',
      hints: 0,
    })
    const files = ['src/cart.ts', 'src/price.ts']
    const asked: readonly (readonly [string, Record<string, unknown>, unknown])[] = [
      ['analyze_query', { query: 'cart' }, { query_analysis: { original_query: 'cart' } }],
      ['index_stats', { index_name }, { name: index_name, file_count: 4, status: 'indexed' }],
      ['list_indexes', {}, [{ name: index_name }]],
      ['open_dashboard', {}, { success: true, url: expect.stringMatching(/^http:/) }],
      ['get_file_dependencies', { file: files[0] }, { dependencies: [{ target_file: files[1] }] }],
      ['get_file_impact', { file: files[1] }, { impact_tree: { children: [{ file: files[0] }] } }],
      ['get_batch_dependencies', { files }, { files_requested: 2, results: [{}, {}] }],
      ['get_batch_impact', { files }, { files_requested: 2, results: [{}, {}] }],
      ['find_symbol', { name: 'ShoppingCart' }, { symbols: [{ file_path: files[0] }] }],
      ['find_references', { name: 'price' }, { references: [{}, {}, {}] }],
      ['outline', { file: files[1] }, { symbols: [{ name: 'price' }] }],
      ['clear_index', { index_name }, { success: true }],
    ]
    for (const [tool, args, answer] of asked)
      expect({ tool, answer: await client.call(tool, args) }).toMatchObject({ tool, answer })
    expect(await client.call('list_indexes')).toEqual([])
  })

  it('keeps each agent to its rules, in what it sees and in what it may call', async () => {
    const [developer, reader, stranger] = await aTeam('developer', 'reader', 'stranger')
    if (!developer || !reader || !stranger) throw new Error('nobody there')
    await developer.call('index_codebase', { path: '.' })
    expect(await reader.tools()).toEqual(['search_code', 'find_symbol', 'find_references'])
    expect(await search(reader)).toMatchObject({ file: 'src/cart.ts' })
    await expect(reader.call('clear_index', { index_name: 'x' })).rejects.toThrow(/not authorized/)
    expect(await stranger.tools()).toEqual([])
    await expect(stranger.call('search_code', { query: 'cart' })).rejects.toThrow(
      /cannot access server 'code'/,
    )
    expect(await developer.call('list_indexes')).toHaveLength(1)
  })

  it('just works where nothing is configured: the first search indexes the project', async () => {
    const folder = tempFolder()
    aProject(SHOP, folder.path)
    git(folder.path, 'init', '-q')
    const transport = aProgram(folder, ['--surface', 'direct'])
    const client = await aRootedClient(transport, uri(folder.path))
    const answer = await client.call('code__search_code', { query: 'totalPrice' })
    expect(answer).toEqual(
      expect.arrayContaining([expect.objectContaining({ file_path: 'src/cart.ts' })]),
    )
  })
})

describe.each(TRANSPORTS)('code search by itself over %s', (_, open) => {
  it('works where the client does: in the first of its roots that is there, decoded', async () => {
    const folder = tempFolder()
    const odd = aProject(SHOP, join(aFolder(), 'ein Projekt & 100% für 漢字'))
    const other = aProject({ 'lib/other.ts': 'export function totalPrice() {}\n' })
    const client = await aRootedClient(
      await open(folder, { env: OPEN }),
      'https://example.com/not-a-file',
      uri('/nowhere/to be found'),
      uri(odd),
      uri(other),
    )
    expect((await client.tools()).toSorted()).toEqual(EVERY)
    expect(await client.call('index_codebase', { path: '.' })).toMatchObject({ path: odd })
    expect(await search(client)).toMatchObject({
      searching: odd,
      project_source: 'roots',
      file: 'src/cart.ts',
    })
    await client.open(uri(other), uri(odd))
    expect(await client.call('search_code', { query: 'totalPrice' })).toMatchObject([
      { error: 'Index not found', detected_path: other },
    ])
    await client.call('index_codebase', { path: '.' })
    expect(await search(client)).toMatchObject({ searching: other, file: 'lib/other.ts' })
    await client.open(uri(odd))
    expect(await search(client)).toMatchObject({ searching: odd, file: 'src/cart.ts' })
  })

  it('without roots works where the environment says, else where it was started', async () => {
    const named = aProject(SHOP)
    const env = { COCOSEARCH_PROJECT_PATH: named }
    const client = await aRootedClient(await open(tempFolder(), { env }))
    expect(await client.call('index_codebase', { path: '.' })).toMatchObject({ path: named })
    expect(await search(client)).toMatchObject({ project_source: 'env', hints: 1 })
    const folder = tempFolder()
    aProject(SHOP, folder.path)
    const local = await aRootedClient(await open(folder))
    expect(await local.call('index_codebase', { path: '.' })).toMatchObject({ path: folder.path })
    expect(await search(local)).toMatchObject({ project_source: 'cwd', hints: 1 })
  })
})

describe('where code search works', () => {
  it.each(['mcp', 'sse'])('?project_path= of /%s says it, after roots', async (path) => {
    const { url } = await startStandalone(tempFolder(), ['code', 'mcp'], OPEN)
    const [one, two] = [aProject(SHOP), aProject(SHOP)]
    const at = async (project: string, ...roots: string[]) => {
      const address = new URL(`${url}/${path}?project_path=${encodeURIComponent(project)}`)
      const transport =
        path === 'sse'
          ? new SSEClientTransport(address)
          : new StreamableHTTPClientTransport(address)
      return aRootedClient(transport, ...roots)
    }
    const byAddress = await at(one)
    expect(await byAddress.call('index_codebase', { path: '.' })).toMatchObject({ path: one })
    expect(await search(byAddress)).toMatchObject({ project_source: 'query_param', hints: 0 })
    const byRoots = await at(one, uri(two))
    expect(await byRoots.call('search_code', { query: 'cart' })).toMatchObject([
      { detected_path: two },
    ])
    for (const wrong of ['relative/path', '/does/not/exist']) {
      const answer = await (await at(wrong)).call('search_code', { query: 'cart' })
      expect(answer).toMatchObject([{ error: 'Index not found' }])
      expect(answer).not.toMatchObject([{ detected_path: one }])
    }
  })

  it('tells the worktrees of a repository apart', async () => {
    const folder = tempFolder()
    const main = aProject(SHOP)
    git(main, 'init', '-q')
    git(main, 'add', '.')
    git(main, 'commit', '-qm', 'one')
    const worktree = join(aFolder(), 'feature')
    git(main, 'worktree', 'add', '-q', worktree)
    aProject({ 'src/new.ts': 'export function onlyInTheWorktree() {}\n' }, worktree)
    const { url } = await startStandalone(folder, ['code', 'mcp'], OPEN)
    const open = async (root: string) => {
      const client = await aRootedClient(
        new StreamableHTTPClientTransport(new URL(`${url}/mcp`)),
        uri(join(root, 'src')),
      )
      await client.call('index_codebase', { path: root })
      return client
    }
    const [first, second] = [await open(main), await open(worktree)]
    expect(await search(first, 'onlyInTheWorktree')).toMatchObject({
      searching: main,
      file: undefined,
    })
    expect(await search(second, 'onlyInTheWorktree')).toMatchObject({
      searching: worktree,
      file: 'src/new.ts',
    })
  })
})

it('ends by itself on stdio when nobody has called for as long as was said', async () => {
  const folder = tempFolder()
  const transport = aProgram(folder, ['code', 'mcp'], { env: { COCOSEARCH_IDLE_TIMEOUT: '1.5' } })
  const client = await aRootedClient(transport, uri(folder.path))
  await client.call('list_indexes')
  const { pid } = transport
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 25_000, interval: 100 })
})

function isRunning(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0)
  } catch {
    return false
  }
}
