import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Canceller } from '../../src/base/flow/signal.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import type { Service } from '../../src/protocol/service.ts'
import { aClient } from '../../test/support/a-call.ts'
import { Rig } from '../attack/rig.ts'
import { median } from '../support/numbers.ts'

type Library = typeof import('../../src/index.ts')

const BUILT = pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')).href
const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const COLD_STARTS = 7
/** A pause before the first script; a model takes longer than this to write it. */
const WRITING_MS = 2000
const WARM_RUNS = 300
const ROUNDS = 9
const CALLS = 1000

export interface Cold {
  /** The first script of a gateway, after its client has listed the tools, as every client does. */
  readonly preparedMs: number
  /** The same without the listing: nothing of the sandbox has been loaded. */
  readonly unpreparedMs: number
  /** The same script once more. */
  readonly secondMs: number
}

/** Times the first scripts of newly started, built gateways, over HTTP. */
export async function measureCold(): Promise<Cold> {
  const [prepared, unprepared, second]: number[][] = [[], [], []]
  for (let round = 0; round < COLD_STARTS; round++)
    for (const lists of [true, false]) {
      const rig = await Rig.open({ rules: RULES })
      const run = async () =>
        timed(async () => rig.call('run_script', { code: '6 * 7' }, { agent: 'ada' }))
      // Excludes the connection and the modules that every call loads.
      for (let n = 0; n < 5; n++) await rig.call('list_servers', {}, { agent: 'ada' })
      if (lists) await rig.request('tools/list', {}, { agent: 'ada', surface: 'discover' })
      await sleep(WRITING_MS)
      const firstMs = await run()
      if (lists) {
        prepared?.push(firstMs)
        second?.push(await run())
      } else unprepared?.push(firstMs)
      await rig.discard()
    }
  return {
    preparedMs: median(prepared ?? []),
    unpreparedMs: median(unprepared ?? []),
    secondMs: median(second ?? []),
  }
}

export interface Warm {
  /** The median of an empty script, less that of a trivial meta tool. */
  readonly overheadMs: number
  /** A call inside a script, less the same call through the gateway in this process. */
  readonly innerCallUs: number
  /** The call through the gateway. */
  readonly chainUs: number
}

/** Measures the built gateway in this process, in front of a server that answers at once. */
export async function measureWarm(): Promise<Warm> {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-timings-'))
  const library: Library = await import(BUILT)
  const path = (name: string) => join(folder, name)
  writeFileSync(path('mcp.json'), JSON.stringify({ mcpServers: { toy: { builtin: 'traces' } } }))
  writeFileSync(path('rules.json'), JSON.stringify(RULES))
  const load = {
    cwd: folder,
    env: {
      PORTOLAN_HOME: folder,
      GATEWAY_MCP_CONFIG: path('mcp.json'),
      GATEWAY_RULES: path('rules.json'),
      // High enough not to limit the calls.
      PORTOLAN_LIMITS_RATE_PER_MINUTE: '100000000',
      PORTOLAN_SCRIPTS_THREAD_MS: '60000',
    },
  }
  const app = library.createApp({
    ...load,
    log: library.createLog({ level: 'error' }),
    watch: (listeners) => library.watchConfig(load, listeners),
    openService: async () => instant(),
  })
  await app.listUnlisted()
  const client = aClient({ era: 'legacy', alone: true })
  const call = async (name: string, args: JsonObject, surface: 'direct' | 'discover') => {
    const result = await app.backend.handle({
      method: 'tools/call',
      params: { name, arguments: args },
      caller: { transport: 'in-process', credential: undefined, claimedAgent: 'ada' },
      client,
      signal: new Canceller(),
      surface,
    })
    if (result['isError'] === true) throw new Error(JSON.stringify(result).slice(0, 500))
  }
  const script = async (code: string) => call('run_script', { code }, 'discover')
  const many = `for (let n = 0; n < ${CALLS}; n++) await tools.toy.echo({ text: 'x' })`
  for (let n = 0; n < 3; n++) await script(many)
  const scripts: number[] = []
  const others: number[] = []
  for (let n = 0; n < WARM_RUNS; n++) {
    scripts.push(await timed(async () => script('1')))
    others.push(await timed(async () => call('list_servers', {}, 'discover')))
  }
  const inside: number[] = []
  const outside: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    inside.push(await timed(async () => script(many)))
    outside.push(
      await timed(async () => {
        for (let n = 0; n < CALLS; n++) await call('toy__echo', { text: 'x' }, 'direct')
      }),
    )
  }
  await app.close()
  rmSync(folder, { recursive: true, force: true })
  const perCall = (ms: number) => (1000 * ms) / CALLS
  return {
    overheadMs: median(scripts) - median(others),
    innerCallUs: perCall(median(inside) - median(outside) - median(scripts)),
    chainUs: perCall(median(outside)),
  }
}

function instant(): Service {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
  return {
    info: { name: 'toy', version: '1.0.0' },
    capabilities: { tools: {} },
    async handle(method, { arguments: args }) {
      if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema }] }
      const text = isObject(args) ? String(args['text']) : ''
      return { content: [{ type: 'text', text }] }
    },
    close: async () => {},
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
