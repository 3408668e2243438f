/** One line of an ignore file, ready to be asked about a path. */
export interface IgnorePattern {
  readonly negated: boolean
  readonly foldersOnly: boolean
  matches(path: string, name: string): boolean
}

/**
 * Reads a line as git does; undefined for blanks and comments.
 * Most lines are plain names or `*.ext`, and are compared as strings: a regular expression per line
 * made the walk of a small repository several times slower.
 */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  let glob = line.replace(/(?<!\\)\s+$/, '')
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
  const expression = toRegExp(glob)
  return anchored ? (path) => expression.test(path) : (_, name) => expression.test(name)
}

const NEVER = /(?!)/

function toRegExp(glob: string): RegExp {
  let source = ''
  for (let at = 0; at < glob.length;) {
    const [text, taken] = piece(glob, at)
    source += text
    at += taken
  }
  try {
    return new RegExp(`^${source}$`, 's')
  } catch {
    return NEVER // Such as a class that runs backwards: git matches nothing with it either.
  }
}

/** The regular expression for what stands at `at`, and how many characters of the glob it covers. */
function piece(glob: string, at: number): readonly [string, number] {
  const char = glob[at] ?? ''
  if (char === '*') return stars(glob, at)
  if (char === '?') return ['[^/]', 1]
  if (char === '\\') return [escape(glob[at + 1] ?? '\\'), 2]
  if (char === '[') return characterClass(glob, at)
  return [escape(char), 1]
}

function stars(glob: string, at: number): readonly [string, number] {
  const atStart = at === 0 || glob[at - 1] === '/'
  if (atStart && glob.startsWith('**/', at)) return ['(?:.*/)?', 3]
  if (atStart && glob.slice(at) === '**') return ['.+', 2]
  return ['[^/]*', /^\*+/.exec(glob.slice(at))?.[0].length ?? 1]
}

function characterClass(glob: string, at: number): readonly [string, number] {
  const match = /^\[([!^]?)(\]?(?:\\.|\[:\w+:\]|[^\]\\])*)\]/s.exec(glob.slice(at))
  if (!match) return ['(?!)', glob.length - at]
  const [whole, not, body = ''] = match
  const members = body
    .replace(/\[:(\w+):\]/g, (_, name: string) => POSIX[name] ?? '')
    .replace(/\\(?=[^\w\s-])|[[\]^&~|]/g, (text) => (text === '\\' ? '\\' : `\\${text}`))
  return [not ? `[^/${members}]` : `(?!/)[${members}]`, whole.length]
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

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
