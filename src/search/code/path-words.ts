import { wordsOf } from '../analyse/analyser.ts'
import { stem } from '../analyse/stem.ts'
import { wordParts } from '../analyse/word-parts.ts'

export interface PathWords {
  /** What the file is called, without its extensions, in lower case. */
  readonly name: string
  readonly nameStems: readonly string[]
  readonly folderStems: readonly string[]
  readonly depth: number
}

/** Files that stand for the folder they are in. */
const MODULE_FILE = /^(index|mod|init|__init__|package|main|lib)$/

/** What a path says about its file. */
export function pathWords(path: string): PathWords {
  const folders = path.split('/')
  const depth = folders.length
  const file = (folders.pop() ?? '').replace(/(?<=.)\..*$/, '')
  const name = MODULE_FILE.test(file) ? (folders.pop() ?? file) : file
  return {
    name: name.toLowerCase(),
    nameStems: stems(name),
    folderStems: folders.flatMap(stems),
    depth,
  }
}

function stems(part: string): string[] {
  return wordsOf(part).flatMap((word) => wordParts(word, { identifiers: true }).parts.map(stem))
}
