import { CodeIndex, type CodeIndexOptions } from '../code/code-index.ts'
import { fromArrays, toArrays, words } from './field-index-arrays.ts'
import { loadIndexFile, saveIndexFile } from './index-file.ts'

interface Meta {
  readonly files: readonly (readonly [path: string, first: number, count: number])[]
  readonly about: unknown
}

/** Raised whenever the layout, the fields or their analysers change. */
const FORMAT = 'code/3'
const FIELDS = 4

/** Saves the index and whatever its owner wants back with it: file hashes, branch, symbols. */
export async function saveCodeIndex(
  path: string,
  index: CodeIndex,
  about: unknown = null,
): Promise<void> {
  const { lexical, files, startLines, endLines } = index.state()
  const meta: Meta = { files, about }
  await saveIndexFile(path, {
    format: FORMAT,
    meta,
    arrays: { ...toArrays(lexical), startLines, endLines },
  })
}

/** Throws `IndexFileError` when the index has to be built again. */
export async function loadCodeIndex(
  path: string,
  options: CodeIndexOptions = {},
): Promise<{ readonly index: CodeIndex; readonly about: unknown }> {
  const { meta, arrays } = await loadIndexFile(path, FORMAT)
  // The format guarantees that `saveCodeIndex` wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { files, about } = meta as Meta
  const index = new CodeIndex(options, {
    lexical: fromArrays(arrays, FIELDS),
    files,
    startLines: words(arrays, 'startLines'),
    endLines: words(arrays, 'endLines'),
  })
  return { index, about }
}
