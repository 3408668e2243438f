import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { MAIN, gatewayEnv } from '../../support/gateway.ts'
import { openDoor } from '../../support/front-doors/open-door.ts'
import { startQdrantStandIn } from '../../support/qdrant-stand-in.ts'
import { runBuilt } from '../../support/run-built.ts'
import { tempFolder } from '../../support/temp-folder.ts'

// The tools and the variables of "Phase 3: MCP Tool Implementation", with `portolan knowledge mcp`.
it('has the two tools with the schemas of the document', async () => {
  const { client } = await openDoor(tempFolder(), ['knowledge', 'mcp'])
  expect(client.getServerVersion()).toMatchObject({ name: 'knowledge-mcp' })
  const { tools } = await client.listTools()
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema
  expect(schemaOf('knowledge_search')).toMatchObject({
    type: 'object',
    properties: {
      query: { type: 'string' },
      n_results: { type: 'integer', default: 10, minimum: 1, maximum: 50 },
      document_type: { enum: expect.arrayContaining(['standard', 'handbook', 'guide']) },
    },
    required: ['query'],
  })
  expect(schemaOf('knowledge_stats')).toMatchObject({ type: 'object' })
  expect(schemaOf('knowledge_stats')?.['required'] ?? []).toEqual([])
})

it('finds what was ingested, keeps vectors in the Qdrant of QDRANT_URL, and goes on without it', async () => {
  const qdrant = await startQdrantStandIn('secret')
  onTestFinished(async () => qdrant.close())
  const folder = tempFolder()
  folder.write('15288.md', '# IEEE 15288\n\n## 1 Requirements\n\nThe system shall be verified.\n')
  const ours = { PORTOLAN_QDRANT_URL: qdrant.url, PORTOLAN_QDRANT_API_KEY: 'secret' }
  expect(await runBuilt(folder, ['ingest', '15288.md'], ours)).toMatchObject({ code: 0 })
  expect(qdrant.points()).toBeGreaterThan(0)
  const env = { QDRANT_URL: qdrant.url, QDRANT_API_KEY: 'secret', OPENAI_API_KEY: 'sk-theirs' }
  const { use, log } = await openDoor(folder, ['knowledge', 'mcp'], env)
  const { text, isError } = await use('knowledge_search', { query: 'verified requirements' })
  const found = JSON.parse(text)
  expect({ isError, ...found }).toMatchObject({
    isError: false,
    query: 'verified requirements',
    total: 1,
    results: [
      { content: expect.any(String), score: expect.any(Number), document_title: 'IEEE 15288' },
    ],
  })
  expect(found).not.toHaveProperty('lexical_only')
  expect(JSON.parse((await use('knowledge_stats')).text)).toMatchObject({
    total_chunks: expect.any(Number),
    config: { backend: 'qdrant' },
  })
  expect(log()).toContain(`vectors in Qdrant at ${qdrant.url}`)
  expect(log()).toContain('Reads the variables of knowledge-mcp: QDRANT_URL, QDRANT_API_KEY.')
  expect(log()).toContain('OPENAI_API_KEY is not used, so no text leaves this machine')

  qdrant.refuse('silent')
  const silent = await use('knowledge_search', { query: 'verified requirements' })
  expect(JSON.parse(silent.text)).toMatchObject({
    lexical_only: true,
    results: [{ document_title: 'IEEE 15288' }],
  })
})

it('an empty query is an error that the body tells as well', async () => {
  const { use } = await openDoor(tempFolder(), ['knowledge', 'mcp'])
  const { text } = await use('knowledge_search', { query: '' })
  expect(JSON.parse(text)).toMatchObject({ error: 'Query is required', isError: true })
})

it('a database that hangs ends the start with what happened and what to do, and no stack', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const address = silent.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const folder = tempFolder()
  const url = `postgres://u:p@127.0.0.1:${port}/x`
  const { code, stderr } = await runBuilt(folder, ['knowledge', 'mcp'], {
    PORTOLAN_DATABASE_URL: url,
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /The database of PORTOLAN_DATABASE_URL does not answer: .*Start PostgreSQL/,
  )
  expect(stderr).not.toMatch(/^\s+at /m)
})

it('nothing but the protocol reaches stdout', () => {
  const folder = tempFolder()
  const { stdout } = spawnSync(process.execPath, [MAIN, 'knowledge', 'mcp'], {
    cwd: folder.path,
    env: gatewayEnv(folder, { QDRANT_URL: 'http://127.0.0.1:9' }),
    input: '',
  })
  expect(stdout.toString()).toBe('')
})
