import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { z } from 'zod'

export interface EmbeddingServer {
  readonly baseUrl: string
  /** The requests so far, with a list of texts each. */
  readonly requests: { readonly input: readonly string[]; readonly authorization?: string }[]
  /** Failures for the next requests, one each; later requests succeed. */
  readonly trouble: ((response: ServerResponse) => void)[]
  close(): Promise<void>
}

export const DIMENSION = 64
const asked = z.object({ input: z.array(z.string()) })

/** An embedding server on loopback that hashes words, so that texts with common words are near. */
export async function startEmbeddingServer(): Promise<EmbeddingServer> {
  const requests: EmbeddingServer['requests'] = []
  const trouble: EmbeddingServer['trouble'] = []
  const server = createServer((request, response) => {
    void answer(request, response)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const { input } = asked.parse(JSON.parse(Buffer.concat(chunks).toString()))
    const { authorization } = request.headers
    requests.push({ input, ...(authorization !== undefined && { authorization }) })
    const fail = trouble.shift()
    if (fail) return fail(response)
    // Intentionally out of order: the index of each entry counts, not its position.
    const data = input
      .map((text, index) => ({ index, embedding: [...hashWords(text)] }))
      .toReversed()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : address
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    trouble,
    close: async () => stop(server),
  }
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
}

function hashWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION)
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let hash = 7
    for (const character of word) hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003
    vector[hash % DIMENSION] = (vector[hash % DIMENSION] ?? 0) + 1
  }
  return vector
}
