import { setTimeout as sleep } from 'node:timers/promises'
import { retryAfterMs } from '../../base/net/retry-after.ts'
import { reasonOf } from '../../base/errors.ts'
import { isObject } from '../../base/json/json.ts'
import type { Embedder, EmbeddingPurpose } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'
import { unitVector } from './unit-vector.ts'

export interface HttpEmbedderOptions {
  /** Up to and including the version: `https://api.openai.com/v1`, `http://localhost:11434/v1`. */
  readonly baseUrl: string
  readonly model: string
  readonly apiKey?: string
  /**
   * Taken from the model's first answer if absent; sent if given, for models that can shorten their
   * vectors.
   */
  readonly dimension?: number
  /** Put before every text, for models that mark queries and documents differently. */
  readonly prefixes?: Readonly<Record<EmbeddingPurpose, string>>
  readonly batchSize?: number
  readonly timeoutMs?: number
  /**
   * How often documents are sent again after a temporary failure. A query is sent once: a caller
   * waits for it.
   */
  readonly retries?: number
  readonly backOffMs?: number
  /** Longer texts are cut: models refuse or cut them anyway. */
  readonly maxCharacters?: number
}

interface Attempt {
  readonly retryAfterMs?: number | undefined
  readonly error: EmbedderError
}

const MAX_BACK_OFF_MS = 20_000

/**
 * Creates an embedder for any server that speaks OpenAI's `/embeddings`: OpenAI, OpenRouter,
 * Ollama, vLLM, LM Studio and others.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { batchSize = 64, retries = 4, backOffMs = 250, maxCharacters = 24_000 } = options
  const url = `${options.baseUrl.replace(/\/+$/, '')}/embeddings`
  const closing = new AbortController()
  let known = options.dimension

  async function embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    const prefix = options.prefixes?.[purpose] ?? ''
    for (let from = 0; from < texts.length; from += batchSize) {
      const batch = texts
        .slice(from, from + batchSize)
        .map((text) => `${prefix}${text}`.slice(0, maxCharacters))
      vectors.push(...(await persist(batch, purpose === 'query' ? 0 : retries)))
    }
    return vectors
  }

  async function persist(batch: readonly string[], mostRetries: number): Promise<Float32Array[]> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await request(batch)
      if (Array.isArray(outcome)) return outcome
      const final = outcome.retryAfterMs === undefined || attempt >= mostRetries
      if (final || closing.signal.aborted) throw outcome.error
      const jittered = backOffMs * 2 ** attempt * (0.5 + Math.random() / 2)
      const wait = Math.min(MAX_BACK_OFF_MS, Math.max(outcome.retryAfterMs, jittered))
      await sleep(wait, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  async function request(batch: readonly string[]): Promise<Float32Array[] | Attempt> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
        },
        body: JSON.stringify({
          model: options.model,
          input: batch,
          encoding_format: 'float',
          ...(options.dimension !== undefined && { dimensions: options.dimension }),
        }),
        signal: AbortSignal.any([timeout, closing.signal]),
      })
      if (!response.ok) return await failedAttempt(response)
      return read(await response.json(), batch.length)
    } catch (error) {
      if (error instanceof EmbedderError) return { error }
      const hint = `Check that it is running and that the address is right`
      return {
        retryAfterMs: 0,
        error: new EmbedderError(
          'unreachable',
          `No embeddings from ${url}: ${reasonOf(error)}. ${hint}`,
          error,
        ),
      }
    }
  }

  async function failedAttempt(response: Response): Promise<Attempt> {
    const text = (await response.text()).slice(0, 300)
    const message = `${url} answered ${response.status} for model ${options.model}: ${text}`
    const reason = reasonFor(response.status)
    const waitMs = retryAfterMs(response.headers.get('retry-after')) ?? 0
    return {
      ...(reason !== 'refused' && { retryAfterMs: waitMs }),
      error: new EmbedderError(reason, message),
    }
  }

  function read(answer: unknown, count: number): Float32Array[] {
    const vectors = vectorsOf(answer, count)
    if (!vectors)
      throw new EmbedderError('bad-answer', `${url} did not answer with ${count} embeddings`)
    for (const { length } of vectors) {
      known ??= length
      if (length !== known)
        throw new EmbedderError(
          'mismatch',
          `Model ${options.model} gave vectors of ${length} numbers where ${known} were expected; set the dimension to ${length} and index again`,
        )
    }
    return vectors
  }

  return {
    identity: JSON.stringify([options.model, options.dimension ?? null, options.prefixes ?? null]),
    async dimension() {
      if (known === undefined) await embed(['dimension'], 'document')
      return known ?? 0
    },
    embed,
    async close() {
      closing.abort(new Error('The embedder was closed'))
    },
  }
}

function reasonFor(status: number): EmbedderError['reason'] {
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'unavailable' : 'refused'
}

function vectorsOf(answer: unknown, count: number): Float32Array[] | undefined {
  if (!isObject(answer) || !Array.isArray(answer['data'])) return undefined
  const entries: unknown[] = answer['data']
  const vectors: Float32Array[] = []
  for (const [at, entry] of entries.entries()) {
    if (!isObject(entry) || !isNumbers(entry['embedding'])) return undefined
    const index = typeof entry['index'] === 'number' ? entry['index'] : at
    vectors[index] = unitVector(entry['embedding'])
  }
  // An index given twice leaves a hole.
  const complete = vectors.length === count && Object.keys(vectors).length === count
  return complete ? vectors : undefined
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'number')
}
