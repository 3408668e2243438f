import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { beginTask, listed, pageOf, readSkill, taskResult } from '../support/clients/extensions.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, callUntilProgress, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openHttp, openSse, openStdio, openWebSocket } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import type { Later } from '../support/temp-folder.ts'

const PAGE = join(import.meta.dirname, '../../docs/reference/matrix.md')

type Open = (gateway: Opened) => Promise<RawClient>

type Era = RawClient['era']

const at = ({ url }: Opened, path: string) => `${url}${path}?surface=direct`
const overStdio =
  (era: Era): Open =>
  async ({ folder }) => {
    const env = gatewayEnv(folder, { PORTOLAN_HOME: folder.file(`stdio-${era}`) })
    const args = [MAIN, '--surface', 'direct']
    return openStdio(era, { command: process.execPath, args, cwd: folder.path, env })
  }
const overHttp =
  (era: Era): Open =>
  async (gateway) =>
    openHttp(era, at(gateway, '/mcp'))
const overWebSocket =
  (era: Era): Open =>
  async (gateway) =>
    openWebSocket(at(gateway, '/ws').replace('http:', 'ws:'), {}, era)

const CLIENTS: Readonly<Record<string, Open>> = {
  'legacy, stdio': overStdio('legacy'),
  'modern, stdio': overStdio('modern'),
  'legacy, HTTP': overHttp('legacy'),
  'modern, HTTP': overHttp('modern'),
  'legacy, SSE': async (gateway) => openSse(at(gateway, '/sse')),
  'legacy, WebSocket': overWebSocket('legacy'),
  'modern, WebSocket': overWebSocket('modern'),
}

/** Starts a server, and gives its entry in `.mcp.json`. */
type Serve = (later: Later) => Promise<JsonObject>

const commandOf =
  (era: string): Serve =>
  async () =>
    stdioUpstream('--era', era, '--extras')
const urlOf =
  (...flags: string[]): Serve =>
  async (later) => {
    const upstream = await startHttpUpstream(...flags, '--extras')
    later(async () => upstream.close())
    return { url: upstream.url }
  }

const SERVERS: Readonly<Record<string, Serve>> = {
  'legacy, stdio': commandOf('legacy'),
  'modern, stdio': commandOf('modern'),
  'both eras, stdio': commandOf('both'),
  'legacy, HTTP': urlOf('--era', 'legacy'),
  'modern, HTTP': urlOf('--era', 'modern'),
  'both eras, HTTP': urlOf('--era', 'both'),
  'legacy, SSE': urlOf('--era', 'legacy', '--legacy-sse'),
}

/** Combinations that have no cell, and why they cannot. */
const IMPOSSIBLE = {
  'a client or a server of 2026-07-28 over SSE':
    'that transport is of 2024-11-05 and begins with the stream of a session; 2026-07-28 has no sessions',
  'a server over WebSocket':
    'no version of the protocol defines a WebSocket transport; the gateway offers one to clients that have their own',
}

const PATIENT = { timeout: 20_000 }
const count = { tools: 0 }

/** One row a feature: what any client can do with any server. */
const FEATURES: Readonly<Record<string, (client: RawClient) => Promise<void>>> = {
  async call(client) {
    expect(textOf(await call(client, 'echo', { text: 'hé' }))).toBe('hé')
  },
  async progress(client) {
    const { result } = await callUntilProgress(client, 'slow', { ms: 100, steps: 2 })
    expect(textOf(await result)).toBe('slept 100 ms')
  },
  async cancel(client) {
    const cancelledBefore = await cancelledCalls(client)
    const leaving = new AbortController()
    const params = { name: 'slow', arguments: { ms: 60_000, steps: 600 } }
    await new Promise<void>((resolve, reject) => {
      const onProgress = () => {
        leaving.abort()
        resolve()
      }
      client
        .request('tools/call', params, { signal: leaving.signal, onProgress })
        .catch((error: unknown) => (leaving.signal.aborted ? undefined : reject(error)))
    })
    await expect.poll(async () => cancelledCalls(client), PATIENT).toBeGreaterThan(cancelledBefore)
  },
  async elicit(client) {
    const { answer } = structured(await call(client, 'ask_elicitation'))
    expect(answer).toEqual(client.answers['elicitation/create'])
  },
  async sample(client) {
    const { answer } = structured(await call(client, 'ask_sampling'))
    expect(answer).toEqual(client.answers['sampling/createMessage'])
  },
  async roots(client) {
    const { answer } = structured(await call(client, 'ask_roots'))
    expect(answer).toEqual(client.answers['roots/list'])
  },
  async 'list change'(client) {
    await client.subscribe([])
    const before = client.heard.length
    count.tools += 1
    const name = `added_${count.tools}`
    await call(client, 'add_tool', { name })
    const heard = () => client.heard.slice(before).map(({ method }) => method)
    await expect.poll(heard, PATIENT).toContain('notifications/tools/list_changed')
    await expect.poll(async () => toolNames(client), PATIENT).toContain(name)
  },
  async subscribe(client) {
    await client.subscribe(['test://text'])
    const before = client.heard.length
    const heard = async () => {
      await call(client, 'touch', { uri: 'test://text' })
      return client.heard.slice(before).map(({ method }) => method)
    }
    await expect.poll(heard, PATIENT).toContain('notifications/resources/updated')
  },
  /** Of a tool that runs as a task only: as a task, and waited for by the gateway. */
  async task(client) {
    const taskId = await beginTask(client, { name: 'job', arguments: { ms: 100 } })
    expect(textOf(await taskResult(client, taskId))).toBe('done by test-upstream')
    expect(textOf(await call(client, 'job'))).toBe('done by test-upstream')
  },
  async app(client) {
    expect(await pageOf(client, 'show_page')).toBe('<p>The page of test-upstream</p>')
    expect(textOf(await call(client, 'show_page'))).toBe('shown by test-upstream')
  },
  async skill(client) {
    const skills = await listed(client, 'skills')
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://one+/notes/SKILL.md'])
    for (const skill of skills) expect(await readSkill(client, skill)).toContain('Of test-upstream')
  },
}

async function cancelledCalls(client: RawClient): Promise<number> {
  const { cancelled } = structured(await call(client, 'whoami'))
  return Array.isArray(cancelled) ? cancelled.length : 0
}

describe.each(Object.entries(SERVERS))('a server: %s', (_server, serve) => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.push(step)
  let gateway: Opened
  beforeAll(async () => {
    gateway = await openGateway({ servers: { one: await serve(later) }, later })
  })
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  })

  describe.each(Object.entries(CLIENTS))('with a client: %s', (_client, open) => {
    let client: RawClient
    beforeAll(async () => {
      client = await open(gateway)
      await toolNames(client)
      return async () => client.close()
    })

    it.each(Object.entries(FEATURES))('%s', async (_feature, use) => {
      await use(client)
      expect.hasAssertions()
    })
  })
})

it('docs/reference/matrix.md names every cell (UPDATE_DOCS=1 writes it)', () => {
  const page = matrixPage()
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, page)
  expect(readFileSync(PAGE, 'utf8')).toBe(page)
})

function bullets(names: readonly string[]): string {
  return names.map((name) => `- ${name}`).join('\n')
}

function matrixPage(): string {
  const [clients, servers, features] = [CLIENTS, SERVERS, FEATURES].map((axis) => Object.keys(axis))
  const cells = [clients, servers, features].reduce(
    (product, axis = []) => product * axis.length,
    1,
  )
  return `${[
    '# Every client, server, transport and feature',
    `Generated by \`UPDATE_DOCS=1 npx vitest run --project e2e test/e2e/matrix.test.ts\`. Each of the clients uses each of the features of each of the servers through the gateway: ${cells} tests, all of which \`npm test\` runs. _Legacy_ is 2025-11-25, _modern_ 2026-07-28.`,
    '## Clients',
    bullets(clients ?? []),
    '## Servers',
    bullets(servers ?? []),
    '## Features',
    bullets(features ?? []),
    '## What cannot exist',
    bullets(Object.entries(IMPOSSIBLE).map(([what, why]) => `${what}: ${why}`)),
  ].join('\n\n')}\n`
}
