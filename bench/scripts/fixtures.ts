import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { programOf } from '../../test/compat/install.ts'
import { specNamed } from '../apis/specs.ts'
import { Rig, until } from '../attack/rig.ts'
import { ENTITIES, RELATIONS, dataFiles } from './data.ts'
import { CUSTOMERS } from './sample-records.ts'
import { SpecMock, type Write } from './spec-mock.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** The agent that runs scripts, and the one that makes single calls without seeing `run_script`. */
export const SCRIPTER = 'ada'
export const CALLER = 'robin'

/** The changes that solving a task made outside the gateway. */
export interface Effects {
  readonly files: Readonly<Record<string, string>>
  readonly writes: readonly Write[]
}

/** The servers of all tasks, their data, and the gateway in front of them. */
export interface Fixtures {
  readonly rig: Rig
  /** The folder of the filesystem server; tasks write into `out` in it. */
  readonly folder: string
  readonly github: SpecMock
  readonly stripe: SpecMock
  /** Returns what was written since the last call. */
  takeEffects(): Effects
  close(): Promise<void>
}

export async function openFixtures(): Promise<Fixtures> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-scripts-'))
  for (const [path, text] of Object.entries(dataFiles())) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const out = join(folder, 'out')
  mkdirSync(out)
  const github = await SpecMock.start(specNamed('github').file, [
    { path: '/repos/{owner}/{repo}/issues', key: 'number', count: 60 },
    { path: '/repos/{owner}/{repo}/issues/{issue_number}/comments', key: 'id', count: 4 },
    { path: '/repos/{owner}/{repo}/pulls', key: 'number', count: 24 },
    { path: '/repos/{owner}/{repo}/pulls/{pull_number}/reviews', key: 'id', count: 3 },
    { path: '/repos/{owner}/{repo}/milestones', key: 'number', count: 8 },
    { path: '/repos/{owner}/{repo}/labels', key: 'name', count: 9, toKey: (n) => `label-${n}` },
  ])
  const stripe = await SpecMock.start(specNamed('stripe').file, [
    { path: '/v1/customers', key: 'id', count: CUSTOMERS, toKey: (n) => `cus_${n}` },
    { path: '/v1/charges', key: 'id', count: 90, toKey: (n) => `ch_${n}` },
    { path: '/v1/invoices', key: 'id', count: 60, toKey: (n) => `in_${n}` },
    { path: '/v1/subscriptions', key: 'id', count: 30, toKey: (n) => `sub_${n}` },
    { path: '/v1/products', key: 'id', count: 15, toKey: (n) => `prod_${n}` },
  ])
  const memory = join(folder, 'memory.jsonl')
  writeFileSync(memory, memoryFile())
  const rig = await Rig.open({
    servers: {
      files: npm('filesystem', [folder]),
      memory: npm('memory', [], { MEMORY_FILE_PATH: memory }),
      everything: npm('everything'),
      thinking: npm('sequential-thinking'),
      github: api(specNamed('github').file, github.url, ['tag:issues', 'tag:pulls']),
      stripe: api(specNamed('stripe').file, stripe.url, STRIPE_PATHS),
    },
    rules: {
      agents: {
        [SCRIPTER]: { allow: { servers: ['*'], scripts: true } },
        [CALLER]: { allow: { servers: ['*'] } },
      },
    },
  })
  await untilListed(rig)
  return {
    rig,
    folder,
    github,
    stripe,
    takeEffects() {
      const names = readdirSync(out).toSorted()
      const files = Object.fromEntries(
        names.map((name) => [name, readFileSync(join(out, name), 'utf8')]),
      )
      for (const name of names) rmSync(join(out, name))
      return { files, writes: [...github.writes.splice(0), ...stripe.writes.splice(0)] }
    },
    async close() {
      await rig.discard()
      github.close()
      stripe.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until all API descriptions are imported, so that definitions can be counted. */
async function untilListed(rig: Rig): Promise<void> {
  const isListed = await until(async () => {
    const { text } = await rig.request('tools/list', {}, { agent: CALLER })
    return ['files__', 'memory__', 'everything__', 'thinking__', 'github__', 'stripe__'].every(
      (prefix) => text.includes(prefix),
    )
  }, 300_000)
  if (!isListed) throw new Error(`not all servers could be listed: ${rig.log()}`)
}

const STRIPE_PATHS = ['customers', 'charges', 'invoices', 'subscriptions', 'products'].map(
  (name) => `/v1/${name}*`,
)

function npm(name: string, args: readonly string[] = [], env: JsonObject = {}): JsonObject {
  const program = programOf(join(ROOT, 'node_modules/@modelcontextprotocol', `server-${name}`))
  return { command: process.execPath, args: [program, ...args], env }
}

function api(openapi: string, baseUrl: string, include: readonly string[]): JsonObject {
  return { openapi, baseUrl, include, allowPrivate: true, retries: 0 }
}

function memoryFile(): string {
  const lines = [
    ...ENTITIES.map((entity) => ({ type: 'entity', ...entity })),
    ...RELATIONS.map((relation) => ({ type: 'relation', ...relation })),
  ]
  return lines.map((line) => JSON.stringify(line)).join('\n')
}
