/**
 * Starts published servers with npx and from where we install them, each with an empty home folder:
 * the first start, and the later ones. A start ends when the tools are listed.
 *
 *   npm run bench -- packages [--only everything,memory]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { openPackage } from '../src/upstreams/stdio/packages/open-package.ts'
import { removeSealed } from '../src/upstreams/stdio/packages/sealed-files.ts'
import { FOLDER, type Published, SERVERS } from '../test/compat/servers.ts'
import { median, round, table } from './support/numbers.ts'

const ROUNDS = 3
const START_MS = 180_000
const NAMES = [
  '@modelcontextprotocol/server-everything',
  '@modelcontextprotocol/server-filesystem',
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-sequential-thinking',
  '@modelcontextprotocol/server-github',
  '@modelcontextprotocol/server-slack',
  '@modelcontextprotocol/server-brave-search',
  '@upstash/context7-mcp',
  'tavily-mcp',
  'exa-mcp-server',
  '@eslint/mcp',
  'airtable-mcp-server',
]

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const chosen = SERVERS.filter(
  ({ name }) => NAMES.includes(name) && options.only.split(',').some((part) => name.includes(part)),
)
const rows: Awaited<ReturnType<typeof measure>>[] = []
for (const server of chosen) {
  const row = await measure(server)
  rows.push(row)
  console.error(JSON.stringify(row))
}
const KEYS = ['npxFirst', 'npx', 'pinnedFirst', 'pinnedAfterNpx', 'pinned'] as const
const medians = Object.fromEntries(KEYS.map((key) => [key, median(rows.map((row) => row[key]))]))
console.log(
  table(
    ['server', 'npx: first', 'later', 'pinned: first', 'first after npx', 'later'],
    rows.map((row) => [row.name, ...KEYS.map((key) => row[key])]),
  ),
)
console.log(`RESULT ${JSON.stringify({ servers: rows.length, unit: 'ms', ...medians })}`)

/** The home folder of the first has only what npx left there; the second is empty. */
async function measure(server: Published) {
  const [withNpx, empty] = [home(), home()]
  try {
    const npxFirst = await startWithNpx(server, withNpx)
    const npx = await median3(async () => startWithNpx(server, withNpx))
    const pinnedFirst = await startPinned(server, empty)
    const pinnedAfterNpx = await startPinned(server, withNpx)
    const pinned = await median3(async () => startPinned(server, empty))
    return { name: server.name, npxFirst, npx, pinnedFirst, pinnedAfterNpx, pinned }
  } finally {
    for (const folder of [withNpx, empty]) {
      await removeSealed(join(folder, 'data'))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function home(): string {
  return mkdtempSync(join(tmpdir(), 'portolan-packages-'))
}

async function median3(work: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < ROUNDS; at++) times.push(await work())
  return median(times)
}

async function startWithNpx(server: Published, folder: string): Promise<number> {
  const args = ['-y', `${server.name}@${server.version}`, ...argsOf(server, folder)]
  return timed(async () => list({ command: 'npx', args }, server, folder))
}

async function startPinned(server: Published, folder: string): Promise<number> {
  const { name, version } = server
  return timed(async () => {
    const opened = await openPackage({
      server: 'it',
      wanted: { name, spec: version, args: argsOf(server, folder) },
      locked: undefined,
      program: {
        command: 'npx',
        args: [],
        env: envOf(server, folder),
        cwd: folder,
        inherits: { PATH: process.env['PATH'], HOME: folder },
      },
      home: join(folder, 'data'),
      log: (line) => console.error(line),
    })
    if (!opened) throw new Error(`${name} is not pinned`)
    await list(opened.program, server, folder)
  })
}

function argsOf({ args = [] }: Published, folder: string): string[] {
  return args.map((arg) => arg.replaceAll(FOLDER, folder))
}

function envOf({ env = {} }: Published, folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replaceAll(FOLDER, folder)]),
  )
}

async function timed(work: () => Promise<void>): Promise<number> {
  const before = performance.now()
  await work()
  return round(performance.now() - before, 0)
}

async function list(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  server: Published,
  folder: string,
): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' })
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...envOf(server, folder) },
    cwd: folder,
    stderr: 'ignore',
  })
  try {
    await client.connect(transport, { timeout: START_MS })
    await client.listTools({}, { timeout: START_MS })
  } finally {
    await client.close()
  }
}
