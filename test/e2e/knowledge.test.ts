import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { call, structured, toolNames } from '../support/clients/talk.ts'
import { openHttp, openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { bodyOf } from '../support/knowledge-service.ts'
import { startStandalone } from '../support/standalone.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HANDBOOK = join(import.meta.dirname, '../../examples/knowledge/hoist-maintenance-handbook.md')
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

it.each([
  [{ query: '' }, 'Query is required'],
  [{}, 'Query is required'],
  [{ query: 'a', n_result: 3 }, 'n_result: expected no such field, got 3; did you mean n_results?'],
  [{ query: 'a', document_type: 'book' }, 'document_type: expected one of'],
  [{ query: 'a', filter_dict: { doc_type: 'guide' } }, 'filter_dict: Unrecognized key'],
])('refuses %j at the protocol and in a JSON body', async (args, words) => {
  const gateway = await openGateway({ servers: { docs: { builtin: 'knowledge' } } })
  const client = await gateway.connect()
  const result = await call(client, 'knowledge_search', args)
  expect(result['isError']).toBe(true)
  expect(bodyOf(result)).toMatchObject({
    isError: true,
    code: 'invalid_input',
    recoverable: false,
    suggestion: expect.any(String),
  })
  expect(bodyOf(result)['error']).toContain(words)
})

it('serves them by itself over HTTP and over stdio, on the same data', async () => {
  const folder = tempFolder()
  const server = await startStandalone(folder, ['knowledge', 'mcp'])
  const http = await openHttp('legacy', `${server.url}/mcp`)
  expect(await toolNames(http)).toContain('knowledge_search')
  const inside = folder.write('handbook.md', readFileSync(HANDBOOK, 'utf8'))
  await call(http, 'knowledge_ingest', { url: inside })
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
