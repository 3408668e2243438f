import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Embedder, EmbeddingPurpose } from './embedder.ts'
import { EmbedderError } from './embedder-error.ts'
import { unitVector } from './unit-vector.ts'

export interface OnnxEmbedderOptions {
  /** A model in its published layout: `config.json`, `tokenizer.json`, `onnx/model.onnx`. */
  readonly folder: string
  readonly prefixes?: Readonly<Record<EmbeddingPurpose, string>>
  readonly batchSize?: number
}

/** The part of the optional package `@huggingface/transformers` that is used here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { readonly dtype: 'fp32'; readonly local_files_only: true },
  ): Promise<Extractor>
}

interface Extractor {
  (
    texts: string[],
    options: { readonly pooling: 'mean'; readonly normalize: true },
  ): Promise<{ readonly dims: readonly number[]; readonly data: ArrayLike<number> }>
  dispose(): Promise<unknown>
}

const PACKAGE = '@huggingface/transformers'

/** Runs a model from a local folder in this process. Nothing is ever downloaded. */
export function createOnnxEmbedder(options: OnnxEmbedderOptions): Embedder {
  const { batchSize = 16 } = options
  const folder = resolve(options.folder)
  let loading: Promise<Extractor> | undefined
  let dimension: number | undefined

  async function embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
  ): Promise<Float32Array[]> {
    const extract = await (loading ??= load(folder).catch(tryAgainLater))
    const prefix = options.prefixes?.[purpose] ?? ''
    const vectors: Float32Array[] = []
    for (let from = 0; from < texts.length; from += batchSize) {
      const batch = texts.slice(from, from + batchSize).map((text) => `${prefix}${text}`)
      const { dims, data } = await extract(batch, { pooling: 'mean', normalize: true })
      const length = dims.at(-1) ?? 0
      const numbers = Float32Array.from(data)
      for (let row = 0; row < batch.length; row++)
        vectors.push(unitVector(numbers.subarray(row * length, (row + 1) * length)))
    }
    dimension ??= vectors[0]?.length
    return vectors
  }

  function tryAgainLater(error: unknown): never {
    loading = undefined
    throw error
  }

  return {
    // Stored vectors contain it: with another string, all of them would have to be made again.
    identity: JSON.stringify([basename(folder), 'mean', false, options.prefixes ?? null]),
    async dimension() {
      if (dimension === undefined) await embed(['dimension'], 'query')
      return dimension ?? 0
    },
    embed,
    async close() {
      await (await loading?.catch(() => undefined))?.dispose()
    },
  }
}

async function load(folder: string): Promise<Extractor> {
  for (const part of ['config.json', 'tokenizer.json', 'onnx/model.onnx'])
    if (!existsSync(`${folder}/${part}`))
      throw new EmbedderError('unreachable', `The model folder ${folder} has no ${part}`)
  const transformers = await importTransformers()
  transformers.env.allowRemoteModels = false
  transformers.env.localModelPath = dirname(folder)
  return transformers.pipeline('feature-extraction', basename(folder), {
    dtype: 'fp32',
    local_files_only: true,
  })
}

async function importTransformers(): Promise<Transformers> {
  try {
    // Not in the lockfile: half a gigabyte that only users of a local model install.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await import(PACKAGE)) as Transformers
  } catch (error) {
    throw new EmbedderError(
      'not-installed',
      `A local model needs the package ${PACKAGE}: run \`npm install ${PACKAGE}\`, or configure an embedding server instead`,
      error,
    )
  }
}
