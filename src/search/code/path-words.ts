import { wordsOf } from '../analyse/analyser.ts'
import { stem } from '../analyse/stem.ts'
import { wordParts } from '../analyse/word-parts.ts'

export interface PathWords {
  /** The file name without extensions, in lower case; the folder's name for a module file. */
  readonly name: string
  readonly nameStems: readonly string[]
  readonly folderStems: readonly string[]
  readonly depth: number
  /** The file that this one is part of, by its name: `cart.ts` for `cart.json.ts`. */
  readonly whole: string | undefined
}

/** Files that stand for the folder they are in. */
const MODULE_FILE = /^(index|mod|init|__init__|package|main|lib)$/

/** Extracts the words of a path that describe its file. */
export function pathWords(path: string): PathWords {
  const folders = path.split('/')
  const depth = folders.length
  const full = folders.pop() ?? ''
  const file = withoutExtensions(full)
  const extension = full.slice(full.lastIndexOf('.'))
  const isPart = full.length > file.length + extension.length
  const whole = isPart ? [...folders, file + extension].join('/') : undefined
  const name = MODULE_FILE.test(file) ? (folders.pop() ?? file) : file
  return {
    name: name.toLowerCase(),
    nameStems: stems(name),
    folderStems: folders.flatMap(stems),
    depth,
    whole,
  }
}

/** Returns the stems of the words in a folder's path. */
export function folderStems(folder: string): string[] {
  return folder.split('/').flatMap(stems)
}

/** Returns the name by which queries look a file up: `circuit-breaker.ts` → circuitbreaker. */
export function fileName(path: string): string {
  return spelling(withoutExtensions(path.slice(path.lastIndexOf('/') + 1)))
}

export function spelling(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, '')
}

function withoutExtensions(name: string): string {
  return name.replace(/(?<=.)\..*$/, '')
}

function stems(part: string): string[] {
  return wordsOf(part).flatMap((word) => wordParts(word, { identifiers: true }).parts.map(stem))
}
