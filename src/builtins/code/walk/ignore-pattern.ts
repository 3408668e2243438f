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

/** One line of an ignore file, ready to match paths. */
export interface IgnorePattern {
  readonly negated: boolean
  readonly foldersOnly: boolean
  /** Whether it is compared with the whole path or with its last part. */
  readonly subject: 'path' | 'name'
  /** What the subject must be, or begin or end with, for `matches` to be asked. */
  readonly needs: 'whole' | 'start' | 'end' | 'nothing'
  readonly text: string
  matches(subject: string): boolean
}

/** Receives the cost of work before it is done; may throw to end it. */
export type Spend = (cost: number) => void

/** A line of an ignore file that is longer than any path cannot match one. */
const MAX_CHARS = 4_096
/** By character: compiling takes much longer than comparing. */
const COMPILE_COST = 100

/** Parses a line as git does; undefined for blank lines and comments. */
export function parseIgnorePattern(
  line: string,
  spend: Spend = () => undefined,
): IgnorePattern | undefined {
  let glob = withoutTrailingBlanks(line)
  if (glob === '' || glob.startsWith('#') || glob.length > MAX_CHARS) return undefined
  const negated = glob.startsWith('!')
  if (negated) glob = glob.slice(1)
  const foldersOnly = glob.endsWith('/')
  if (foldersOnly) glob = glob.slice(0, -1)
  if (glob.startsWith('**/') && !glob.slice(3).includes('/')) glob = glob.slice(3)
  const subject = glob.includes('/') ? 'path' : 'name'
  if (glob.startsWith('/')) glob = glob.slice(1)
  return { negated, foldersOnly, subject, ...needed(glob), matches: matcher(glob, spend) }
}

/** Most lines are plain names or `*.ext`, which a table of texts finds without asking the others. */
function needed(glob: string): Pick<IgnorePattern, 'needs' | 'text'> {
  const [start = ''] = /^[^*?[\\]+/.exec(glob) ?? []
  if (start === glob) return { needs: 'whole', text: glob }
  if (start !== '') return { needs: 'start', text: start }
  const end = literalEnd(glob)
  return end === '' ? { needs: 'nothing', text: '' } : { needs: 'end', text: end }
}

function literalEnd(glob: string): string {
  let at = glob.length
  while (at > 0 && !'*?[]\\'.includes(glob[at - 1] ?? '')) at--
  // The slash of `**/` stands for no folder as well.
  return glob.slice(glob[at] === '/' ? at + 1 : at)
}

/** Compiles on first use: a hostile file has more patterns than anybody asks for. */
function matcher(glob: string, spend: Spend): IgnorePattern['matches'] {
  let test: ((subject: string) => boolean) | undefined
  return (subject) => {
    test ??= compile(glob, spend)
    return test(subject)
  }
}

function compile(glob: string, spend: Spend): (subject: string) => boolean {
  if (!/[*?[\\]/.test(glob)) return (subject) => subject === glob
  if (/^\*[^*?[\\/]+$/.test(glob)) return (subject) => subject.endsWith(glob.slice(1))
  spend(glob.length * COMPILE_COST)
  const steps = toSteps(glob)
  return steps ? compileSteps(steps, spend) : () => false
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

type ParsedSteps = readonly [steps: readonly Step[], length: number]

/** Returns the steps at `at`, and how many characters of the glob they cover. */
function stepsAt(glob: string, at: number): ParsedSteps | undefined {
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

function stars(glob: string, at: number): ParsedSteps {
  const atStart = at === 0 || glob[at - 1] === '/'
  if (atStart && glob.startsWith('**/', at)) return [[anyFolders], 3]
  if (atStart && glob.slice(at) === '**') return [[one(anyChar), many(anyChar)], 2]
  return [[many(notSlash)], /^\*+/.exec(glob.slice(at))?.[0].length ?? 1]
}

function characterClass(glob: string, at: number): ParsedSteps | undefined {
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
