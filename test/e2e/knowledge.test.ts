import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { Block } from '../../src/builtins/knowledge/documents/document.ts'
import { listJobs } from '../../src/storage/knowledge/jobs.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { taskResult, withTasks } from '../support/clients/extensions.ts'
import { call, structured, toolNames } from '../support/clients/talk.ts'
import { openHttp, openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { serveHttp } from '../support/http-server.ts'
import { openGateway } from '../support/open-gateway.ts'
import { bodyOf } from '../support/knowledge-service.ts'
import { runBuilt } from '../support/run-built.ts'
import { startStandalone } from '../support/standalone.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { writePdf } from '../support/write-pdf.ts'

// Whole programs are started, which takes its time beside other tests.
vi.setConfig({ testTimeout: 120_000 })

const HANDBOOK = join(
  import.meta.dirname,
  '../../test/fixtures/knowledge/hoist-maintenance-handbook.md',
)
const RULES = {
  agents: {
    librarian: { allow: { servers: ['*'] } },
    reader: { allow: { servers: ['*'], tools: { docs: ['knowledge_search'] } } },
  },
}

it('serves its tools through the gateway, to each agent what its rules allow', async () => {
  const gateway = await openGateway({ servers: { docs: { builtin: 'knowledge' } }, rules: RULES })
  const librarian = await gateway.connect({ headers: { 'x-agent-id': 'librarian' } })
  const reader = await gateway.connect({ headers: { 'x-agent-id': 'reader' } })
  expect(await toolNames(reader)).toEqual(['knowledge_search'])
  expect(await toolNames(librarian)).toContain('knowledge_delete')
  const ingest = async (url: string) =>
    structured(await call(librarian, 'knowledge_ingest', { url }))
  expect(await ingest(HANDBOOK)).toMatchObject({ code: 'invalid_input', isError: true })
  const inside = gateway.folder.write('handbook.md', readFileSync(HANDBOOK, 'utf8'))
  expect(await ingest(inside)).toMatchObject({ status: 'complete' })
  const answer = structured(await call(reader, 'knowledge_search', { query: 'load sinks' }))
  expect(answer).toMatchObject({ results: [{ document_title: 'Hoist Maintenance Handbook' }] })
  const denied = await call(reader, 'knowledge_delete', { collection: 'knowledge' })
  expect(denied['isError']).toBe(true)
  expect(structured(await call(librarian, 'knowledge_stats'))).toMatchObject({ documents: 1 })
})

const WRONG: readonly [JsonObject, string][] = [
  [{ query: '' }, 'Query is required'],
  [{}, 'Query is required'],
  [{ query: 'a', n_result: 3 }, 'n_result: expected no such field, got 3; did you mean n_results?'],
  [{ query: 'a', document_type: 'book' }, 'document_type: expected one of'],
  [{ query: 'a', filter_dict: { doc_type: 'guide' } }, 'filter_dict: Unrecognized key'],
]

it('is ingested and searched by one script', async () => {
  const gateway = await openGateway({
    servers: { docs: { builtin: 'knowledge' } },
    rules: { agents: { ada: { allow: { servers: ['*'], scripts: true } } } },
  })
  const ada = await gateway.connect({
    headers: { 'x-agent-id': 'ada' },
    query: 'surface=scripts',
  })
  const code = `
    const { status } = await tools.docs.knowledge_ingest({ url: input.url })
    const { results } = await tools.docs.knowledge_search({ query: 'how often must ropes be inspected' })
    return { status, first: JSON.stringify(results[0]) }`
  const url = gateway.folder.write('handbook.md', readFileSync(HANDBOOK, 'utf8'))
  const answer = structured(await call(ada, 'run_script', { code, input: { url } }))
  expect(answer['result']).toMatchObject({
    status: 'complete',
    first: expect.stringContaining('rope'),
  })
})

it('is ingested in a task, where that takes long', async () => {
  const gateway = await openGateway({
    servers: { docs: { builtin: 'knowledge' } },
    settings: { tasks: { offerAfterMs: 1 } },
  })
  const client = withTasks(await gateway.connect({ era: 'modern' }))
  const url = gateway.folder.write('handbook.md', readFileSync(HANDBOOK, 'utf8'))
  const { taskId } = await call(client, 'knowledge_ingest', { url })
  expect(taskId).toBeTypeOf('string')
  const result = await taskResult(client, taskId)
  expect(structured(result)).toMatchObject({ status: 'complete' })
  const query = 'how often must ropes be inspected'
  const found = await call(client, 'knowledge_search', { query })
  const answer = found['resultType'] === 'task' ? await taskResult(client, found['taskId']) : found
  expect(JSON.stringify(answer)).toContain('hoist')
})

it('refuses wrong arguments at the protocol and in a JSON body', async () => {
  const gateway = await openGateway({ servers: { docs: { builtin: 'knowledge' } } })
  const client = await gateway.connect()
  for (const [args, words] of WRONG) {
    const result = await call(client, 'knowledge_search', args)
    expect(result['isError']).toBe(true)
    expect(bodyOf(result)).toMatchObject({
      isError: true,
      code: 'invalid_input',
      recoverable: false,
      suggestion: expect.any(String),
      error: expect.stringContaining(words),
    })
  }
})

it('serves them by itself over HTTP and over stdio, on the same data', async () => {
  const folder = tempFolder()
  const server = await startStandalone(folder, ['knowledge', 'mcp'])
  const http = await openHttp('legacy', `${server.url}/mcp`)
  expect(await toolNames(http)).toContain('knowledge_search')
  const inside = folder.write('handbook.md', readFileSync(HANDBOOK, 'utf8'))
  await call(http, 'knowledge_ingest', { url: inside })
  // A number of results beyond the bounds of the schema is clamped, not refused.
  const one = await call(http, 'knowledge_search', { query: 'load sinks', n_results: 0 })
  expect(bodyOf(one)).toMatchObject({ count: 1 })
  const all = await call(http, 'knowledge_search', { query: 'load sinks', n_results: 1000 })
  expect(all['isError']).not.toBe(true)
  const stdio = await openStdio('legacy', {
    command: process.execPath,
    args: [MAIN, 'knowledge', 'mcp'],
    cwd: folder.path,
    env: gatewayEnv(folder),
  })
  onTestFinished(async () => stdio.close().catch(() => undefined))
  const answer = structured(
    await call(stdio, 'knowledge_search', { query: 'radio pendant loses link' }),
  )
  expect(answer).toMatchObject({ results: [{ section_title: 'Radio pendant loses its link' }] })
  await http.close()
  await server.stop()
})

it('reads from a private host only when it is named', async () => {
  await using site = await serveHttp((_, response) =>
    response.writeHead(200, { 'content-type': 'text/markdown' }).end('# 1 Inside\n\nOnly here.'),
  )
  const folder = tempFolder()
  const refused = await runBuilt(folder, ['ingest', `${site.url}/page.md`])
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.stderr).toContain('PORTOLAN_KNOWLEDGE_HOSTS')
  const { host } = new URL(site.url)
  const allowed = { PORTOLAN_KNOWLEDGE_HOSTS: `other, ${host}` }
  const stored = await runBuilt(folder, ['ingest', `${site.url}/page.md`], allowed)
  expect(stored.stderr).toMatch(/^stored .*1 passage\n1 document, 0 failed\n$/)
})

it('stops in the middle of a document on Ctrl-C, and goes on where it was', async () => {
  const folder = tempFolder()
  const blocks = Array.from({ length: 500 }, (_, n): Block[] => [
    { kind: 'heading', level: 2, text: `${n + 1} Chapter` },
    { kind: 'paragraph', text: 'All that is known of it, and more. '.repeat(50) },
  ])
  writeFileSync(folder.file('big.pdf'), writePdf(blocks.flat(), { breakChapters: true }).bytes)
  folder.write('a.md', '# 1 A\n\nShort.')
  const child = spawn(process.execPath, [MAIN, 'ingest', 'a.md', 'big.pdf', '--json'], {
    cwd: folder.path,
    env: gatewayEnv(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
  await expect
    .poll(async () => jobOf(folder), { timeout: 30_000, interval: 50 })
    .toMatch(/big\.pdf, page \d+ of 500/)
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect({ code, told }).toEqual({
    code: 130,
    told: '1 document, 0 failed\nStopped; run the same command again to continue from here.\n',
  })
  const { stderr } = await runBuilt(folder, ['ingest', 'a.md', 'big.pdf'])
  expect(stderr).toMatch(/^stored .*big\.pdf \d+ passages\n2 documents, 0 failed\n$/)
})

/** What the latest job says it is at, as any other process may ask. */
async function jobOf(folder: TempFolder): Promise<string> {
  const storage = await openStorage({ home: folder.file('data') })
  const [job] = await listJobs(storage.db, 1)
  await storage.close()
  return job?.current ?? ''
}
