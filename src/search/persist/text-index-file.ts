import type { Field } from '../lexical/field.ts'
import { TextIndex } from '../text-index.ts'
import { fromArrays, toArrays, words } from './field-index-arrays.ts'
import { IndexFileError, loadIndexFile, saveIndexFile } from './index-file.ts'

interface Meta {
  readonly ids: readonly string[]
  readonly fields: readonly string[]
  /** What the owner saves with the index: the revision of the data it was built from, a model. */
  readonly about: unknown
}

// The layout of the file, increased when it changes; the owner's format covers the fields.
const LAYOUT = 2

export interface TextIndexFile {
  readonly path: string
  /** The owner's format, increased when its documents or analysers change: `knowledge/1`. */
  readonly format: string
}

export async function saveTextIndex(
  file: TextIndexFile,
  index: TextIndex<string>,
  about: unknown = null,
): Promise<void> {
  const { ids, labels, fields, lexical } = index.state()
  const meta: Meta = { ids, fields, about }
  const arrays = { ...toArrays(lexical), labels }
  await saveIndexFile(file.path, { format: layout(file), meta, arrays })
}

/** Throws `IndexFileError` when the index has to be built again. */
export async function loadTextIndex<Name extends string>(
  file: TextIndexFile,
  fields: Readonly<Record<Name, Field>>,
): Promise<{ readonly index: TextIndex<Name>; readonly about: unknown }> {
  const image = await loadIndexFile(file.path, layout(file))
  // The format guarantees that `saveTextIndex` wrote it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const meta = image.meta as Meta
  const names = Object.keys(fields)
  if (meta.fields.join() !== names.join())
    throw new IndexFileError('other-format', `${file.path} has the fields ${meta.fields.join()}`)
  const lexical = fromArrays(image.arrays, names.length)
  const labels = words(image.arrays, 'labels')
  return {
    index: new TextIndex(fields, { ids: meta.ids, labels, fields: meta.fields, lexical }),
    about: meta.about,
  }
}

function layout(file: TextIndexFile): string {
  return `text/${LAYOUT} ${file.format}`
}
