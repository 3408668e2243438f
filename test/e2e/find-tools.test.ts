import { expect, it, onTestFinished } from 'vitest'
import { call, valueOf } from '../support/clients/talk.ts'
import { startEmbeddingServer } from '../support/embedding-server.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

async function open() {
  const embedder = await startEmbeddingServer()
  const gateway = await openGateway({
    servers: { notes: stdioUpstream() },
    env: { PORTOLAN_EMBEDDING_MODEL: 'words', PORTOLAN_EMBEDDING_BASE_URL: embedder.baseUrl },
  })
  const client = await gateway.connect({ query: 'surface=discover' })
  const find = async (query: string) => valueOf(await call(client, 'find_tools', { query }))
  return { embedder, find }
}

it('asks the configured embedder, for tools once and for each question', async () => {
  const { embedder, find } = await open()
  onTestFinished(async () => embedder.close())
  await find('never answers')
  const texts = () => embedder.requests.flatMap(({ input }) => input)
  const hang = expect.stringMatching(/^hang \(notes\): .*Never answers/)
  await expect.poll(texts).toContainEqual(hang)
  // Until the embedder knows every tool, the model of the package answers, with a note.
  await expect.poll(async () => find('never answers')).not.toHaveProperty('note')
  const found = await find('never answers')
  expect(found).toHaveProperty('tools.0.call', expect.stringMatching(/^hang\(/))
  expect(texts().filter((text) => text.startsWith('hang ('))).toHaveLength(1)
})

it('answers with the model of the package, and says so, while the embedder is away', async () => {
  const { embedder, find } = await open()
  await embedder.close()
  expect(await find('echo a text')).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ server: 'notes' })]),
    note: expect.stringContaining('Ranked with the built-in model'),
  })
})

it('finds by meaning without any configuration, and says what it ranked with', async () => {
  const gateway = await openGateway({ servers: { notes: stdioUpstream() } })
  const client = await gateway.connect({ query: 'surface=discover' })
  const found = valueOf(await call(client, 'find_tools', { query: 'echo a text', explain: true }))
  expect(found).toHaveProperty('tools.0.call', expect.stringMatching(/^echo/))
  expect(found).toHaveProperty('tools.0.found_by', expect.stringMatching(/meaning|both/))
  expect(valueOf(await call(client, 'get_gateway_status', {}))).toMatchObject({
    tool_search: { model: 'portolan-static-1' },
  })
})

it('ranks by words alone where the settings say so', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream() },
    env: { PORTOLAN_EMBEDDING_PROVIDER: 'none' },
  })
  const client = await gateway.connect({ query: 'surface=discover' })
  await call(client, 'find_tools', { query: 'echo' })
  const status = valueOf(await call(client, 'get_gateway_status', {}))
  expect(status).not.toHaveProperty('tool_search')
})

it('says which servers it could not search yet', async () => {
  const gateway = await openGateway({
    servers: { slow: { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 60_000)'] } },
  })
  const client = await gateway.connect({ query: 'surface=discover' })
  expect(valueOf(await call(client, 'find_tools', { query: 'anything' }))).toMatchObject({
    tools: [],
    note: expect.stringContaining('Still starting, so not searched: slow'),
  })
})
