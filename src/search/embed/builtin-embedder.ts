import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import type { CosineRange, Embedder } from './embedder.ts'
import { modelBytes } from './static/model-bytes.ts'
import { StaticEncoder } from './static/static-encoder.ts'
import { type StaticModel, parseModel } from './static/static-model.ts'
import { type WordModel, createWordModel } from './static/word-model.ts'

/** Measured: unrelated texts lie near 0, texts that say the same between .3 and .7. */
const COSINES: CosineRange = { low: 0.15, high: 0.7 }
/** About 10 ms of work, after which the event loop gets a turn. */
const TEXTS_AT_ONCE = 200

/** A query takes about 12 µs. */
export type BuiltinEmbedder = Embedder & Required<Pick<Embedder, 'embedNow' | 'words'>>

export interface BuiltinEmbedderOptions {
  /** How many of the axes to use, the most important ones first: 128 lose about .01 of recall. */
  readonly dimension?: number
}

let model: StaticModel | undefined

function loadModel(): StaticModel {
  return (model ??= parseModel(modelBytes()))
}

/**
 * Creates an embedder for the bundled model: no service, no key, no download. The first text loads
 * the model, once per thread. If its file is missing or damaged, `embed` throws an `EmbedderError`;
 * `builtinModelProblem` checks this in advance.
 */
export function createBuiltinEmbedder({ dimension }: BuiltinEmbedderOptions = {}): BuiltinEmbedder {
  let encoder: StaticEncoder | undefined
  let words: WordModel | undefined
  const load = (): StaticEncoder => (encoder ??= new StaticEncoder(loadModel(), dimension))
  const loadWords = (): WordModel => (words ??= createWordModel(loadModel(), load().dimension))

  return {
    identity: dimension === undefined ? 'portolan-static-1' : `portolan-static-1@${dimension}`,
    cosines: COSINES,
    dimension: async () => load().dimension,
    embedNow: (text) => load().embed(text),
    words: {
      wordsOf: (text) => loadWords().wordsOf(text),
      compare: (question, options) => loadWords().compare(question, options),
    },
    async embed(texts) {
      const loaded = load()
      const vectors: Float32Array[] = []
      for (const [at, text] of texts.entries()) {
        if (at > 0 && at % TEXTS_AT_ONCE === 0) await setImmediate()
        vectors.push(loaded.embed(text))
      }
      return vectors
    },
    close: async () => undefined,
  }
}

/** Returns why the bundled model cannot be used; undefined if it can. */
export function builtinModelProblem(): string | undefined {
  try {
    modelBytes()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
