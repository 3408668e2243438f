import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { messageOf } from '../../src/base/errors.ts'
import { programOf } from '../../test/compat/install.ts'
import { CHROMIUM, FOLDER, PAGE, type Published } from '../../test/compat/servers.ts'

const run = promisify(execFile)

/** Listings are small and never change, so they are kept; what was installed is removed. */
const CACHE = process.env['PORTOLAN_FATIGUE_CACHE'] ?? join(tmpdir(), 'portolan-fatigue')
const MAX_VERSIONS = 10
const START_MS = 40_000
const INSTALL_MS = 240_000
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']

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
  // Installed over each other, as most of what versions depend on stays the same.
  return inFolder(async (folder) => {
    const listed: ListedVersion[] = []
    for (const version of await versionsOf(server.name))
      listed.push(await listIn(folder, server, version))
    return listed
  })
}

/** Lists one version of a server. */
export async function listVersion(server: Published, version: string): Promise<ListedVersion> {
  return inFolder(async (folder) => listIn(folder, server, version))
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-fatigue-'))
  try {
    return await use(folder)
  } finally {
    remove(folder)
  }
}

async function listIn(folder: string, server: Published, version: string): Promise<ListedVersion> {
  const path = join(CACHE, `${server.name.replace('/', '+')}@${version}.json`)
  if (!existsSync(path)) {
    mkdirSync(CACHE, { recursive: true })
    writeFileSync(path, JSON.stringify(await installAndList(folder, server, version)))
  }
  // This bench wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(readFileSync(path, 'utf8')) as ListedVersion
}

/** A browser may still write while its folder is removed. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
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

async function installAndList(
  folder: string,
  server: Published,
  version: string,
): Promise<ListedVersion> {
  const nothing = { version, tools: [], prompts: [], resourceTemplates: [] }
  const home = mkdtempSync(join(tmpdir(), 'portolan-fatigue-home-'))
  try {
    const manifest = join(folder, 'package.json')
    if (!existsSync(manifest)) writeFileSync(manifest, '{"private":true}')
    const wanted = `${server.name}@${version}`
    await run('npm', ['install', '--prefix', folder, '--ignore-scripts', ...QUIET, wanted], {
      timeout: INSTALL_MS,
    })
    return { ...nothing, ...(await list(server, { folder, home })) }
  } catch (error) {
    return { ...nothing, failure: messageOf(error).slice(0, 300) }
  } finally {
    remove(home)
  }
}

const none = () => []
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

async function list(
  server: Published,
  { folder, home }: { readonly folder: string; readonly home: string },
) {
  const fill = (text: string) =>
    text
      .replaceAll(FOLDER, home)
      .replaceAll(PAGE, 'http://127.0.0.1:1/')
      .replaceAll(CHROMIUM, '/usr/bin/chromium')
  const env = Object.entries(server.env ?? {}).map(([name, value]) => [name, fill(value)] as const)
  const client = new Client({ name: 'fatigue', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf(join(folder, 'node_modules', server.name)), ...(server.args ?? []).map(fill)],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...Object.fromEntries(env) },
    cwd: home,
    stderr: 'ignore',
  })
  try {
    const options = { timeout: START_MS }
    await client.connect(transport, options)
    const offers = client.getServerCapabilities() ?? {}
    // As they are: the client would refuse the whole list for one bad definition.
    const listOf = async (method: string, key: string) => {
      const result: JsonObject = await client.request({ method, params: {} }, ResultSchema, options)
      return itemsOf(result[key]).filter(isObject)
    }
    return {
      tools: await listOf('tools/list', 'tools'),
      prompts: offers.prompts ? await listOf('prompts/list', 'prompts').catch(none) : [],
      resourceTemplates: offers.resources
        ? await listOf('resources/templates/list', 'resourceTemplates').catch(none)
        : [],
      instructions: client.getInstructions(),
    }
  } finally {
    await client.close()
  }
}
