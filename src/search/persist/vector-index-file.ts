import type { Embedder } from '../embed/embedder.ts'
import { EmbedderError } from '../embed/embedder-error.ts'
import { VectorIndex } from '../vector/vector-index.ts'
import { type IndexImage, IndexFileError, loadIndexFile, saveIndexFile } from './index-file.ts'

interface Meta {
  readonly model: string
  readonly dimension: number
  readonly ids: readonly string[]
  readonly about: unknown
}

const FORMAT = 'vectors/1'

/** Saves the vectors with the identity of the model that made them. */
export async function saveVectorIndex(
  path: string,
  index: VectorIndex,
  { model, about = null }: { readonly model: string; readonly about?: unknown },
): Promise<void> {
  const { dimension, ids, high, low, steps } = index.state()
  const meta: Meta = { model, dimension, ids, about }
  await saveIndexFile(path, { format: FORMAT, meta, arrays: { high, low, steps } })
}

/**
 * Throws `IndexFileError` when the vectors have to be made again because there are none,
 * and `EmbedderError` (`mismatch`) when another model made them.
 */
export async function loadVectorIndex(
  path: string,
  embedder: Embedder,
): Promise<{ readonly index: VectorIndex; readonly about: unknown }> {
  const { meta, arrays } = await loadIndexFile(path, FORMAT)
  // The format guarantees that `saveVectorIndex` wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { model, dimension, ids, about } = meta as Meta
  const wanted = await embedder.dimension()
  if (model !== embedder.identity || dimension !== wanted)
    throw new EmbedderError(
      'mismatch',
      `The vectors in ${path} were made by ${model} (${dimension} numbers), the configured model is ${embedder.identity} (${wanted}); index again, or configure the former model`,
    )
  const state = { dimension, ids, ...rowsOf(arrays) }
  return { index: new VectorIndex({ dimension }, state), about }
}

function rowsOf(arrays: IndexImage['arrays']) {
  const { high, low, steps } = arrays
  if (high instanceof Int8Array && low instanceof Int8Array && steps instanceof Float32Array)
    return { high, low, steps }
  throw new IndexFileError('damaged', 'The index file has no vectors')
}
