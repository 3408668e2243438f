import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  DIMENSION,
  type EmbeddingServer,
  startEmbeddingServer,
} from '../../../test/support/embedding-server.ts'
import { type HttpEmbedderOptions, createHttpEmbedder } from './http-embedder.ts'

let server: EmbeddingServer
beforeEach(async () => {
  server = await startEmbeddingServer()
})
afterEach(async () => server.close())

function anEmbedder(options: Partial<HttpEmbedderOptions> = {}) {
  return createHttpEmbedder({ baseUrl: server.baseUrl, model: 'words', backOffMs: 1, ...options })
}

const dot = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)

describe('the HTTP embedder', () => {
  it('gives one unit vector per text, in order, whatever order the server answers in', async () => {
    const [cat, dog, catAgain] = await anEmbedder().embed(['a cat', 'the dog', 'a cat'], 'document')
    expect(dot(cat, cat)).toBeCloseTo(1)
    expect(dot(cat, catAgain)).toBeCloseTo(1)
    expect(dot(cat, dog)).toBeLessThan(0.9)
  })

  it('asks in batches, with the key', async () => {
    const texts = Array.from({ length: 10 }, (_, n) => `text ${n}`)
    expect(
      await anEmbedder({ batchSize: 4, apiKey: 'secret' }).embed(texts, 'document'),
    ).toHaveLength(10)
    expect(server.requests.map(({ input }) => input.length)).toEqual([4, 4, 2])
    expect(server.requests[0]?.authorization).toBe('Bearer secret')
  })

  it('learns the dimension from the model', async () => {
    expect(await anEmbedder().dimension()).toBe(DIMENSION)
  })

  it('tries again after a 503 and a 429, and waits as long as it is told', async () => {
    server.trouble.push(
      (response) => response.writeHead(503).end(),
      (response) => response.writeHead(429, { 'retry-after': '0.2' }).end(),
    )
    const start = performance.now()
    expect(await anEmbedder().embed(['x'], 'document')).toHaveLength(1)
    expect(server.requests).toHaveLength(3)
    expect(performance.now() - start).toBeGreaterThan(190)
  })

  it('tries again when the connection breaks or the answer is late', async () => {
    server.trouble.push(
      (response) => response.destroy(),
      () => undefined,
    )
    expect(await anEmbedder({ timeoutMs: 200 }).embed(['x'], 'document')).toHaveLength(1)
    expect(server.requests).toHaveLength(3)
  })

  it('gives up with the reason when the outage lasts', async () => {
    for (let n = 0; n < 3; n++)
      server.trouble.push((response) => response.writeHead(500).end('out of memory'))
    await expect(anEmbedder({ retries: 2 }).embed(['x'], 'document')).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('out of memory'),
    })
    expect(server.requests).toHaveLength(3)
  })

  it('sends a query once, and says whether it may succeed later', async () => {
    for (const status of [500, 429, 403])
      server.trouble.push((response) => response.writeHead(status).end())
    for (const reason of ['unavailable', 'rate-limited', 'refused'])
      await expect(anEmbedder().embed(['x'], 'query')).rejects.toMatchObject({ reason })
    expect(server.requests).toHaveLength(3)
    expect(await anEmbedder().embed(['x'], 'query')).toHaveLength(1)
  })

  it('says that nobody is there, with the address', async () => {
    const { baseUrl } = server
    await server.close()
    await expect(anEmbedder({ retries: 1 }).embed(['x'], 'query')).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining(baseUrl),
    })
  })

  it('does not repeat a request that can never succeed', async () => {
    server.trouble.push((response) => response.writeHead(401).end('bad key'))
    await expect(anEmbedder().embed(['x'], 'query')).rejects.toMatchObject({ reason: 'refused' })
    expect(server.requests).toHaveLength(1)
  })

  it.each([
    ['nothing', '{}'],
    ['too few', '{"data":[{"index":0,"embedding":[1]}]}'],
    ['one twice', '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}'],
    ['words', '{"data":[{"index":0,"embedding":["a"]},{"index":1,"embedding":["a"]}]}'],
  ])('refuses an answer with %s', async (_, body) => {
    server.trouble.push((response) => response.end(body))
    await expect(anEmbedder().embed(['x', 'y'], 'query')).rejects.toMatchObject({
      reason: 'bad-answer',
    })
  })

  it('reports a model whose vectors have another length', async () => {
    await expect(anEmbedder({ dimension: 32 }).embed(['x'], 'query')).rejects.toMatchObject({
      reason: 'mismatch',
      message: expect.stringContaining('index again'),
    })
  })

  it('marks questions and documents apart for models that want it', async () => {
    const embedder = anEmbedder({
      prefixes: { query: 'search_query: ', document: 'search_document: ' },
    })
    await embedder.embed(['x'], 'query')
    await embedder.embed(['x'], 'document')
    expect(server.requests.map(({ input }) => input[0])).toEqual([
      'search_query: x',
      'search_document: x',
    ])
  })

  it('stops waiting when it is closed', async () => {
    server.trouble.push(() => undefined)
    const embedder = anEmbedder()
    const pending = embedder.embed(['x'], 'query')
    await embedder.close()
    await expect(pending).rejects.toMatchObject({ reason: 'unreachable' })
  })
})
