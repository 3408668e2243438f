import { anyFolders, notSlash } from '../../../base/text/glob.ts'
import {
  type CharClass,
  type Step,
  anyChar,
  compileSteps,
  literal,
  many,
  one,
} from '../../../base/text/linear-matcher.ts'

/** One line of an ignore file, compiled to match paths. */
export interface IgnorePattern {
  readonly negated: boolean
  readonly foldersOnly: boolean
  matches(path: string, name: string): boolean
}

/**
 * Parses a line as git does; undefined for blank lines and comments. Most lines are plain names or
 * `*.ext` and are compared as strings: a matcher per line would make the walk of a small repository
 * several times slower.
 */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  let glob = withoutTrailingBlanks(line)
  if (glob === '' || glob.startsWith('#')) return undefined
  const negated = glob.startsWith('!')
  if (negated) glob = glob.slice(1)
  const foldersOnly = glob.endsWith('/')
  if (foldersOnly) glob = glob.slice(0, -1)
  if (glob.startsWith('**/') && !glob.slice(3).includes('/')) glob = glob.slice(3)
  const anchored = glob.includes('/')
  if (glob.startsWith('/')) glob = glob.slice(1)
  return { negated, foldersOnly, matches: matcher(glob, anchored) }
}

function matcher(glob: string, anchored: boolean): IgnorePattern['matches'] {
  if (!/[*?[\\]/.test(glob)) {
    return anchored ? (path) => path === glob : (_, name) => name === glob
  }
  const [, suffix] = /^\*([^*?[\\/]+)$/.exec(glob) ?? []
  if (suffix !== undefined && !anchored) return (_, name) => name.endsWith(suffix)
  const steps = toSteps(glob)
  if (!steps) return () => false
  const test = compileSteps(steps)
  return anchored ? (path) => test(path) : (_, name) => test(name)
}

/** A blank after a backslash is part of the name. */
function withoutTrailingBlanks(line: string): string {
  const trimmed = line.trimEnd()
  return trimmed.endsWith('\\') ? line.slice(0, trimmed.length + 1) : trimmed
}

/** Returns undefined if git would match nothing, for example for a class that is not closed. */
function toSteps(glob: string): Step[] | undefined {
  const steps: Step[] = []
  for (let at = 0; at < glob.length;) {
    const found = stepsAt(glob, at)
    if (!found) return undefined
    const [next, length] = found
    steps.push(...next)
    at += length
  }
  return steps
}

type Found = readonly [steps: readonly Step[], length: number]

/** Returns the steps at `at`, and how many characters of the glob they cover. */
function stepsAt(glob: string, at: number): Found | undefined {
  const char = glob[at] ?? ''
  if (char === '*') return stars(glob, at)
  if (char === '?') return [[one(notSlash)], 1]
  if (char === '[') return characterClass(glob, at)
  if (char === '\\') {
    const [escaped = '\\'] = glob.slice(at + 1, at + 3)
    return [[literal(escaped)], 1 + escaped.length]
  }
  const [text = ''] = /^[^*?[\\]+/.exec(glob.slice(at)) ?? []
  return [[literal(text)], text.length]
}

function stars(glob: string, at: number): Found {
  const atStart = at === 0 || glob[at - 1] === '/'
  if (atStart && glob.startsWith('**/', at)) return [[anyFolders], 3]
  if (atStart && glob.slice(at) === '**') return [[one(anyChar), many(anyChar)], 2]
  return [[many(notSlash)], /^\*+/.exec(glob.slice(at))?.[0].length ?? 1]
}

function characterClass(glob: string, at: number): Found | undefined {
  const match = /^\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]/s.exec(glob.slice(at))
  if (!match) return undefined
  const [whole, not, body = ''] = match
  const members = body
    .replace(/\[:(\w+):\]/g, (_, name: string) => POSIX[name] ?? '')
    .replace(/\\(?=[^\w\s-])|[[\]^&~|]/g, (text) => (text === '\\' ? '\\' : `\\${text}`))
  const accepts = toClass(not ? `[^${members}]` : `[${members}]`)
  return accepts && [[one(accepts)], whole.length]
}

/** Returns undefined for a reversed range, such as `[z-a]`. */
function toClass(source: string): CharClass | undefined {
  try {
    const expression = new RegExp(`^${source}$`, 's')
    return (char) => notSlash(char) && expression.test(char)
  } catch {
    return undefined
  }
}

const POSIX: Record<string, string> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}
