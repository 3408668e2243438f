import { type IncomingMessage, createServer } from 'node:http'
import { text as streamText } from 'node:stream/consumers'
import { z } from 'zod'

/**
 * A stand-in for Qdrant, written from its published HTTP API: the calls of our store, with their
 * status codes, filters (`must` with `match.value` and `match.any`), UUID ids and cosine scores.
 * It cannot show how the real server behaves under load or in a cluster.
 */
export interface QdrantStandIn {
  readonly url: string
  readonly points: () => number
  /** Answers every request with this status from now on, or with nothing. */
  refuse(status: number | 'silent' | undefined): void
  close(): Promise<void>
}

const condition = z.object({
  key: z.string(),
  match: z.union([z.object({ value: z.unknown() }), z.object({ any: z.array(z.unknown()) })]),
})
const point = z.object({
  id: z.uuid(),
  vector: z.array(z.number()),
  payload: z.record(z.string(), z.unknown()),
})
const upsert = z.object({ points: z.array(point) })
const removal = z.object({ points: z.array(z.string()) })
const search = z.object({
  query: z.array(z.number()),
  limit: z.number(),
  filter: z.object({ must: z.array(condition) }).optional(),
})
const retrieval = z.object({ ids: z.array(z.string()), with_vector: z.literal(true) })
const creation = z.object({
  vectors: z.object({ size: z.number(), distance: z.literal('Cosine') }),
})

type Point = z.output<typeof point>

interface Collection {
  readonly size: number
  readonly points: Map<string, Point>
}

export async function startQdrantStandIn(apiKey?: string): Promise<QdrantStandIn> {
  const collections = new Map<string, Collection>()
  let refused: number | 'silent' | undefined

  function answer(method: string, path: string, body: unknown): [number, unknown] {
    const [, , name = '', ...rest] = path.split('?')[0]?.split('/') ?? []
    const action = `${method} ${rest.join('/')}`
    const collection = collections.get(name)
    if (action === 'GET exists') return [200, { exists: collection !== undefined }]
    if (action === 'PUT ') {
      if (collection) return [409, { error: 'already exists' }]
      collections.set(name, { size: creation.parse(body).vectors.size, points: new Map() })
      return [200, true]
    }
    if (!collection) return [404, { error: `Collection ${name} doesn't exist` }]
    return change(collection, action, body)
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await readJson(request)
      if (refused === 'silent') return
      const denied = apiKey !== undefined && request.headers['api-key'] !== apiKey
      const [status, result] = refused
        ? [refused, null]
        : denied
          ? [401, null]
          : safely(() => answer(request.method ?? '', request.url ?? '', body))
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ status: status === 200 ? 'ok' : 'error', result, time: 0 }))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    points: () => [...collections.values()].reduce((sum, { points }) => sum + points.size, 0),
    refuse(status) {
      refused = status
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function change({ size, points }: Collection, action: string, body: unknown): [number, unknown] {
  switch (action) {
    case 'PUT index':
      return [200, { status: 'completed' }]
    case 'PUT points': {
      const { points: added } = upsert.parse(body)
      if (added.some(({ vector }) => vector.length !== size)) return [400, { error: 'Wrong size' }]
      for (const one of added) points.set(one.id, one)
      return [200, { status: 'completed' }]
    }
    case 'POST points/delete':
      for (const id of removal.parse(body).points) points.delete(id)
      return [200, { status: 'completed' }]
    case 'POST points/count':
      return [200, { count: points.size }]
    case 'POST points':
      return [200, retrieval.parse(body).ids.flatMap((id) => points.get(id) ?? [])]
    case 'POST points/query':
      return [200, { points: nearest([...points.values()], search.parse(body)) }]
    default:
      return [404, { error: `No ${action}` }]
  }
}

function nearest(points: readonly Point[], { query, limit, filter }: z.output<typeof search>) {
  return points
    .filter(({ payload }) => filter?.must.every((one) => matches(payload, one)) ?? true)
    .map(({ id, vector }) => ({ id, version: 0, score: cosine(query, vector) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
}

function matches(
  payload: Record<string, unknown>,
  { key, match }: z.output<typeof condition>,
): boolean {
  return 'any' in match ? match.any.includes(payload[key]) : payload[key] === match.value
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  return dot / (Math.hypot(...a) * Math.hypot(...b) || 1)
}

function safely(work: () => [number, unknown]): [number, unknown] {
  try {
    return work()
  } catch (error) {
    return [400, { error: String(error) }]
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await streamText(request)
  return text ? JSON.parse(text) : undefined
}
