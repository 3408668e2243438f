import { z } from 'zod'
import { KnowledgeError } from '../knowledge-error.ts'
import type { VectorPoint, VectorQuery, VectorStore } from './vector-store.ts'

export interface QdrantOptions {
  readonly url: string
  readonly apiKey?: string | undefined
  /** The base name; the model is added, so that vectors of two models never mix. */
  readonly collection: string
  readonly model: string
  readonly dimension: number
}

const BATCH = 100

const found = z.object({
  result: z.object({ points: z.array(z.object({ id: z.string(), score: z.number() })) }),
})
const stored = z.object({
  result: z.array(z.object({ id: z.string(), vector: z.array(z.number()) })),
})
const exists = z.object({ result: z.object({ exists: z.boolean() }) })
const done = z.object({ status: z.string() })
const counted = z.object({ result: z.object({ count: z.number() }) })

/** Stores vectors in a Qdrant server over its HTTP API; the texts stay in the database. */
export async function createQdrantVectors(options: QdrantOptions): Promise<VectorStore> {
  const name = `${options.collection}_v1_${options.model.replace(/[^A-Za-z0-9]+/g, '_').toLowerCase()}`
  const collection = `/collections/${encodeURIComponent(name)}`
  const call = qdrantClient(options)

  if (!(await call(['GET', `${collection}/exists`], exists)).result.exists) {
    await call(
      ['PUT', collection, { vectors: { size: options.dimension, distance: 'Cosine' } }],
      done,
    )
    for (const field of ['source_id', 'collection', 'chunk_type']) {
      const body = { field_name: field, field_schema: 'keyword' }
      await call(['PUT', `${collection}/index?wait=true`, body], done)
    }
  }

  return {
    backend: 'qdrant',
    async prepare(points) {
      for (let at = 0; at < points.length; at += BATCH) {
        const batch = points.slice(at, at + BATCH).map(toPoint)
        await call(['PUT', `${collection}/points?wait=true`, { points: batch }], done)
      }
    },
    async commit() {},
    async settle(goneChunks) {
      if (goneChunks.length === 0) return
      await call(['POST', `${collection}/points/delete?wait=true`, { points: goneChunks }], done)
    },
    async search(vector, query) {
      const { result } = await call(
        [
          'POST',
          `${collection}/points/query`,
          {
            query: [...vector],
            limit: query.filter.clausePrefix ? query.limit * 10 : query.limit,
            filter: toFilter(query),
          },
        ],
        found,
      )
      // Skips points without a chunk, which a crash between the two stores can leave behind.
      return result.points
        .filter(({ id }) => query.accept(id))
        .slice(0, query.limit)
        .map(({ id, score }) => ({ id, score: Math.min(1, Math.max(0, score)) }))
    },
    async vectorsOf(ids) {
      const request = { ids, with_vector: true, with_payload: false }
      const { result } = await call(['POST', `${collection}/points`, request], stored)
      return new Map(result.map(({ id, vector }) => [id, Float32Array.from(vector)]))
    },
    async count() {
      const { result } = await call(
        ['POST', `${collection}/points/count`, { exact: true }],
        counted,
      )
      return result.count
    },
    async ping() {
      await call(['GET', `${collection}/exists`], exists)
    },
  }
}

function toPoint({ id, vector, sourceId, collection, chunkType, normative }: VectorPoint): object {
  const payload = { source_id: sourceId, collection, chunk_type: chunkType, normative }
  return { id, vector: [...vector], payload }
}

function toFilter({ filter, sourceIds }: VectorQuery): object {
  const must: object[] = []
  if (filter.collection) must.push({ key: 'collection', match: { value: filter.collection } })
  if (sourceIds) must.push({ key: 'source_id', match: { any: sourceIds } })
  if (filter.chunkTypes) must.push({ key: 'chunk_type', match: { any: filter.chunkTypes } })
  if (filter.normative !== undefined) {
    must.push({ key: 'normative', match: { value: filter.normative } })
  }
  return { must }
}

type Call = <Answer>(
  request: readonly [method: string, path: string, body?: unknown],
  schema: z.ZodType<Answer>,
) => Promise<Answer>

const TIMEOUT_MS = 10_000

function qdrantClient({ url, apiKey }: QdrantOptions): Call {
  return async ([method, path, body], schema) => {
    const response = await send(`${url.replace(/\/$/, '')}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(apiKey && { 'api-key': apiKey }) },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json().catch(() => null)
    if (!response.ok) throw refused(response.status, answer)
    return schema.parse(answer)
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    const late = cause instanceof Error && cause.name === 'TimeoutError'
    throw new KnowledgeError(
      late ? 'timeout_error' : 'connection_error',
      late ? 'Qdrant did not answer in time' : 'Qdrant is not reachable',
      {
        suggestion: 'Check PORTOLAN_QDRANT_URL and that the server is running, then try again.',
        cause,
      },
    )
  }
}

function refused(status: number, answer: unknown): KnowledgeError {
  const text = JSON.stringify(answer)
  if (status === 401 || status === 403) {
    return new KnowledgeError('auth_error', 'Qdrant refused the API key', {
      suggestion: 'Check PORTOLAN_QDRANT_API_KEY.',
    })
  }
  if (status === 429) return new KnowledgeError('rate_limited', 'Qdrant is limiting requests')
  const code = status >= 500 ? 'connection_error' : 'internal_error'
  return new KnowledgeError(code, `Qdrant answered ${status}: ${text}`)
}
