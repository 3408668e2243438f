// Public repositories as bare clones in a folder: `<owner>+<name>/repo` or `<owner>+<name>`.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const MAX_BYTES = 2 ** 28

/** Reads a file from the newest commit of a clone; undefined if there is no clone. */
export function readFromClone(folder: string, name: string, path: string): string | undefined {
  const clone = [join(folder, name, 'repo'), join(folder, name)].find((each) =>
    existsSync(join(each, 'HEAD')),
  )
  if (clone === undefined) return undefined
  const options = { encoding: 'utf8', maxBuffer: MAX_BYTES } as const
  return execFileSync('git', ['--git-dir', clone, 'show', `HEAD:${path}`], options)
}

export function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line))
}
