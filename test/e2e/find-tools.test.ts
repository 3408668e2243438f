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
  const found = await find('never answers')
  expect(found).toHaveProperty('tools.0.call', expect.stringMatching(/^hang\(/))
  expect(found).not.toHaveProperty('note')
  expect(texts().filter((text) => text.startsWith('hang ('))).toHaveLength(1)
})

it('answers by words, and says so, while the embedder is away', async () => {
  const { embedder, find } = await open()
  await embedder.close()
  expect(await find('echo a text')).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ server: 'notes' })]),
    note: expect.stringContaining('by words alone'),
  })
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
