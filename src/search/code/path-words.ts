import { splitIdentifier } from '../analyse/split-identifier.ts'
import { stem } from '../analyse/stem.ts'

export interface PathWords {
  /** The file's name without its extensions, in lower case. */
  readonly name: string
  readonly nameStems: readonly string[]
  readonly folderStems: readonly string[]
}

/** What a path says about its file. */
export function pathWords(path: string): PathWords {
  const folders = path.split('/')
  const file = folders.pop() ?? ''
  const name = file.replace(/(?<=.)\..*$/, '')
  return {
    name: name.toLowerCase(),
    nameStems: stems(name),
    folderStems: folders.flatMap(stems),
  }
}

function stems(part: string): string[] {
  return splitIdentifier(part).map(stem)
}
