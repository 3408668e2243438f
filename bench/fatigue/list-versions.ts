import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { JsonObject } from '../../src/base/json/json.ts'
import { messageOf } from '../../src/base/errors.ts'
import { programOf } from '../../test/compat/install.ts'
import { CHROMIUM, FOLDER, PAGE, type Published } from '../../test/compat/servers.ts'

const run = promisify(execFile)

/** Listings are small and never change, so they are kept; what was installed is removed. */
const CACHE = process.env['PORTOLAN_FATIGUE_CACHE'] ?? join(tmpdir(), 'portolan-fatigue')
const MAX_VERSIONS = 10
const START_MS = 40_000
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

/** What one version of a server lists, or why it lists nothing. */
export interface ListedVersion {
  readonly version: string
  readonly failure?: string
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly instructions?: string | undefined
}

/** Lists the last versions of a server, oldest first. */
export async function listVersions(server: Published): Promise<ListedVersion[]> {
  const listed: ListedVersion[] = []
  for (const version of await versionsOf(server.name)) {
    const path = join(CACHE, `${server.name.replace('/', '+')}@${version}.json`)
    if (!existsSync(path)) {
      mkdirSync(CACHE, { recursive: true })
      writeFileSync(path, JSON.stringify(await listVersion(server, version)))
    }
    // This bench wrote it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    listed.push(JSON.parse(readFileSync(path, 'utf8')) as ListedVersion)
  }
  return listed
}

async function versionsOf(name: string): Promise<string[]> {
  const path = join(CACHE, `${name.replace('/', '+')}.versions.json`)
  if (!existsSync(path)) {
    const { stdout } = await run('npm', ['view', name, 'versions', '--json', ...QUIET])
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(path, stdout)
  }
  const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const released = [found].flat().map(String)
  return released.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).slice(-MAX_VERSIONS)
}

async function listVersion(server: Published, version: string): Promise<ListedVersion> {
  const nothing = { version, tools: [], prompts: [], resourceTemplates: [] }
  const folder = mkdtempSync(join(tmpdir(), 'portolan-fatigue-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const wanted = `${server.name}@${version}`
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...QUIET, wanted])
    return { ...nothing, ...(await list(server, folder)) }
  } catch (error) {
    return { ...nothing, failure: messageOf(error).slice(0, 300) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const none = () => []

async function list(server: Published, folder: string) {
  const fill = (text: string) =>
    text
      .replaceAll(FOLDER, folder)
      .replaceAll(PAGE, 'http://127.0.0.1:1/')
      .replaceAll(CHROMIUM, '/usr/bin/chromium')
  const env = Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value)] as const)
  const client = new Client({ name: 'fatigue', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf(join(folder, 'node_modules', server.name)), ...(server.args ?? []).map(fill)],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...Object.fromEntries(env) },
    cwd: folder,
    stderr: 'ignore',
  })
  try {
    const options = { timeout: START_MS }
    await client.connect(transport, options)
    const offers = client.getServerCapabilities() ?? {}
    return {
      tools: (await client.listTools({}, options)).tools,
      prompts: offers.prompts
        ? await client.listPrompts({}, options).then(({ prompts }) => prompts, none)
        : [],
      resourceTemplates: offers.resources
        ? await client
            .listResourceTemplates({}, options)
            .then(({ resourceTemplates }) => resourceTemplates, none)
        : [],
      instructions: client.getInstructions(),
    }
  } finally {
    await client.close()
  }
}
