import { CodeIndex, type CodeIndexOptions } from '../code/code-index.ts'
import { fromArrays, signed, toArrays, words } from './field-index-arrays.ts'
import { IndexFileError, loadIndexFile, saveIndexFile } from './index-file.ts'

interface Meta {
  /** The model that made the vectors in the arrays; null for none. */
  readonly model: string | null
  readonly files: readonly (readonly [path: string, first: number, count: number])[]
  readonly about: unknown
}

/** Increased whenever the layout, the fields or their analysers change. */
const FORMAT = 'code/5'
const FIELDS = 4

/** What the owner of an index saves with it. */
export interface CodeIndexOwner {
  /** One value: its name, its branch. */
  readonly about: unknown
  /** Many values, such as the facts about each file: written and read one by one. */
  readonly records: Iterable<unknown>
}

export async function saveCodeIndex(
  path: string,
  index: CodeIndex,
  { about, records }: CodeIndexOwner = { about: null, records: [] },
): Promise<void> {
  const { lexical, files, startLines, endLines, meaning } = index.state()
  const meta: Meta = { files, about, model: meaning?.model ?? null }
  await saveIndexFile(path, {
    format: FORMAT,
    meta,
    records,
    arrays: {
      ...toArrays(lexical),
      startLines,
      endLines,
      ...(meaning && { chunkVectors: meaning.chunks, fileVectors: meaning.files }),
    },
  })
}

/** Throws `IndexFileError` when the index has to be built again. */
export async function loadCodeIndex(
  path: string,
  options: CodeIndexOptions = {},
): Promise<{ readonly index: CodeIndex } & CodeIndexOwner> {
  const { meta, records, arrays } = await loadIndexFile(path, FORMAT)
  // The format guarantees that `saveCodeIndex` wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { files, about, model } = meta as Meta
  if (options.model && options.model.identity !== model)
    throw new IndexFileError(
      'other-format',
      `${path} has vectors of ${model ?? 'no model'}, not of ${options.model.identity}`,
    )
  const index = new CodeIndex(options, {
    lexical: fromArrays(arrays, FIELDS),
    files,
    startLines: words(arrays, 'startLines'),
    endLines: words(arrays, 'endLines'),
    ...(options.model && {
      meaning: {
        model: options.model.identity,
        chunks: signed(arrays, 'chunkVectors'),
        files: signed(arrays, 'fileVectors'),
      },
    }),
  })
  return { index, about, records }
}
