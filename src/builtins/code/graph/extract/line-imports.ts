import { getOrMake } from '../../../../base/maps.ts'
import { DECLARES, type ImportRef, renamed, withAliases } from '../import-ref.ts'

type Extract = (text: string) => ImportRef[]

// The closing sign of a list is optional in these patterns: if each of many lists that are never
// closed were read to the end of the file and given up, a file could take minutes.

const python: Extract = (text) => {
  const found: ImportRef[] = []
  const plain = text.replace(/("""|''')[\s\S]*?\1|#[^\n]*/g, lineEnds)
  const from = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)?|((?:\\\r?\n|[^\n;])+))/gm
  for (const { specifier, line, match } of located(plain, from)) {
    const list = (match[2] ?? match[3] ?? '').replace(/\\\r?\n/g, ' ')
    const taken = list.split(',').map(renamed)
    found.push({
      specifier,
      kind: 'import',
      line,
      names: taken.map(([name]) => name).filter((name) => /^[\w*]+$/.test(name)),
      ...withAliases(taken),
    })
  }
  for (const { line, match } of located(plain, /^[ \t]*import[ \t]+([^\n;]+)/gm)) {
    for (const part of (match[1] ?? '').split(',')) {
      const [specifier] = renamed(part)
      if (/^[\w.]+$/.test(specifier)) found.push({ specifier, kind: 'import', line })
    }
  }
  return found.toSorted((a, b) => a.line - b.line)
}

/** Returns the line ends of a comment or a text, so that the lines below keep their numbers. */
function lineEnds(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1)
}

const rust: Extract = (text) => [
  ...each(text, /^[ \t]*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+(\w+)\s*;/gm, 'mod'),
  ...located(text, /^([ \t]*)(?:pub(?:\([^)\n]*\))?\s+)?use\s+([^;]{1,20000});?/gm).flatMap(
    ({ line, match: [, indent, list = ''] }) =>
      expandUse(list.replace(/\/\/[^\n]*/g, '').replace(/\s+/g, ' ')).map((path) =>
        // In a module inside the file, such as its tests, `super` is the file itself.
        toRef(indent ? path.replace(/^super\b/, 'self') : path, 'use', line, '::'),
      ),
  ),
]

/** Parses `a::b as c`: the specifier is `a::b`, and its last part is renamed to `c`. */
function toRef(text: string, kind: string, line: number, separator: string): ImportRef {
  const [specifier, local] = renamed(text)
  const name = specifier.slice(specifier.lastIndexOf(separator) + separator.length)
  return { specifier, kind, line, ...(local !== specifier && withAliases([[name, local]])) }
}

/** No path is longer, and no groups are nested deeper, in a file that a person wrote. */
const MAX_PATH_LENGTH = 500
const MAX_GROUP_DEPTH = 20

/** `a::{b, c::{d}}` → `a::b`, `a::c::d`. */
function expandUse(path: string, level = 0): string[] {
  const open = path.indexOf('{')
  if (open < 0) return [path.trim()]
  const close = path.lastIndexOf('}')
  const prefix = path.slice(0, open).trim()
  if (level > MAX_GROUP_DEPTH || prefix.length > MAX_PATH_LENGTH) return []
  const parts: string[] = []
  let depth = 0
  let current = ''
  for (const char of path.slice(open + 1, close < 0 ? undefined : close)) {
    depth += Number(char === '{') - Number(char === '}')
    if (char === ',' && depth === 0) {
      parts.push(current)
      current = ''
    } else current += char
  }
  return [...parts, current]
    .filter((part) => part.trim() !== '')
    .flatMap((part) => expandUse(prefix + part.trim(), level + 1))
}

const JVM_IMPORT =
  /^[ \t]*import\s+(?:static\s+)?(\w+(?:\.\w+)*(?:\.[*_]|\.\{[^}]*\}?)?(?:[ \t]+as[ \t]+\w+)?)/gm

const jvm: Extract = (text) =>
  located(text, JVM_IMPORT).flatMap(({ specifier, line }) => {
    const open = specifier.indexOf('{')
    if (open < 0) return toRef(specifier, 'import', line, '.')
    if (!specifier.endsWith('}')) return []
    const group = specifier.slice(open + 1, -1).split(',')
    return { specifier, kind: 'import', line, ...withAliases(group.map(renamed)) }
  })

const cFamily: Extract = (text) => [
  ...each(text, /^[ \t]*#[ \t]*(?:include|import)[ \t]*"([^"\n]+)"/gm, 'include'),
  ...each(text, /^[ \t]*#[ \t]*(?:include|import)[ \t]*<([^>\n]+)>/gm, 'include_system'),
]

const ruby: Extract = (text) => [
  ...each(text, /^[ \t]*require_relative[ (]+["']([^"'\n]+)["']/gm, 'require_relative'),
  ...each(text, /^[ \t]*(?:require|load)[ (]+["']([^"'\n]+)["']/gm, 'require'),
  ...each(text, /^[ \t]*autoload[ (]+:\w+,\s*["']([^"'\n]+)["']/gm, 'require'),
]

const php: Extract = (text) => [
  ...located(
    text,
    /^[ \t]*use\s+(?:function\s+|const\s+)?(\\?[A-Za-z_][\w\\\s,]*(?:\{[^}]*\}?\s*)?)(;?)/gm,
  ).flatMap(({ line, match: [, list = '', end] }) =>
    end === ';' ? phpUse(list).map((name) => toRef(name, 'use', line, '\\')) : [],
  ),
  ...each(
    text,
    /\b(?:require|include)(?:_once)?[ (]+(?:__DIR__\s*\.\s*)?["']([^"'\n]+)["']/g,
    'include',
  ),
]

function phpUse(list: string): string[] {
  const group = /^\s*(\\?[\w\\]{1,500}\\)\{([\s\S]*)\}\s*$/.exec(list)
  const [prefix, names] = group ? [group[1] ?? '', group[2] ?? ''] : ['', list]
  return names
    .split(',')
    .map((name) => (prefix + name.trim()).replace(/^\\/, ''))
    .filter((name) => /^[\w\\]+(?:\s+as\s+\w+)?$/i.test(name))
}

const SASS_IMPORT = /@(?:import|use|forward)\s+((?:["'][^"'\n]+["'](?:\s*,\s*)?)+)/g

const EXTRACTORS: Readonly<Record<string, Extract>> = {
  python,
  go: goImports,
  rust,
  java: jvm,
  kotlin: jvm,
  scala: jvm,
  groovy: jvm,
  c: cFamily,
  cpp: cFamily,
  'objective-c': cFamily,
  ruby,
  php,
  lua: (text) => each(text, /\brequire[ (]*["']([\w./-]+)["']/g, 'require'),
  haskell: (text) => each(text, /^import\s+(?:qualified\s+)?([A-Z][\w.]*)/gm, 'import'),
  dart: (text) => each(text, /^(?:import|export|part)\s+['"]([^'"\n]+)['"]/gm, 'import'),
  bash: (text) => each(text, /^[ \t]*(?:source|\.)[ \t]+["']?([^\s"';&|]+)/gm, 'source'),
  css: (text) => each(text, /@import\s+(?:url\()?["']([^"'\n]+)["']/g, 'import'),
  scss: (text) =>
    located(text, SASS_IMPORT).flatMap(({ specifier: list, line }) =>
      each(list, /["']([^"'\n]+)["']/g, 'import').map((ref) => ({ ...ref, line })),
    ),
  protobuf: (text) => each(text, /^import\s+(?:public\s+|weak\s+)?"([^"\n]+)"/gm, 'import'),
  csharp: (text) => [
    ...each(text, /^[ \t]*namespace[ \t]+([A-Z][\w.]*)/gm, DECLARES),
    ...located(
      text,
      /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:(\w+)[ \t]*=[ \t]*)?([A-Z][\w.]*)[ \t]*;/gm,
    ).map(({ line, match: [, local, specifier = ''] }) =>
      toRef(local === undefined ? specifier : `${specifier} as ${local}`, 'using', line, '.'),
    ),
  ],
  elixir: (text) => [
    ...each(text, /^[ \t]*def(?:module|protocol)[ \t]+([A-Z][\w.]*)/gm, DECLARES),
    ...located(
      text,
      /^[ \t]*(?:alias|import|use|require)[ \t]+([A-Z][\w.]{0,500})(?:\{([^}]*)\}?|,[ \t]*as:[ \t]*([A-Z]\w*))?/gm,
    ).flatMap(({ specifier, line, match: [, , group, local] }) => {
      const inner = group?.split(',').map((name) => specifier + name.trim())
      const whole = local === undefined ? specifier : `${specifier} as ${local}`
      return (inner ?? [whole]).map((name) => toRef(name, 'import', line, '.'))
    }),
  ],
  zig: (text) => each(text, /@import\("([^"\n]+)"\)/g, 'import'),
}

/** Extracts the imports of languages other than ECMAScript, one statement at a time. */
export function lineImports(language: string, text: string): ImportRef[] {
  return EXTRACTORS[language]?.(text) ?? []
}

export function hasLineImports(language: string): boolean {
  return language in EXTRACTORS
}

/**
 * Finds the packages a Go file imports, with the names it uses from each: a package has many files,
 * and only a few of them are meant.
 */
function goImports(text: string): ImportRef[] {
  const code = text.replace(/\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, lineEnds)
  const found = located(code, /^import\s*(?:\(([^)]*)\)?|([^\n]+))/gm).flatMap(({ line, match }) =>
    located(match[1] ?? match[2] ?? '', /(?:([\w.]+)[ \t]+)?"([^"\n]+)"/g).map((inner) => {
      const [, alias, specifier = ''] = inner.match
      return { specifier, line: line + inner.line - 1, local: alias ?? packageName(specifier) }
    }),
  )
  const used = membersOf(text, new Set(found.map(({ local }) => local)))
  return found.map(({ specifier, line, local }) => {
    const names = used.get(local)
    return { specifier, kind: 'import', line, ...(names && { names: [...names] }) }
  })
}

/** Returns a package's default name: `example.com/yaml.v3` and `example.com/yaml/v3` are yaml. */
function packageName(specifier: string): string {
  const parts = specifier.split('/')
  const last = parts.at(-1) ?? ''
  const name = /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last
  return name.replace(/\.v\d+$/, '')
}

function membersOf(text: string, packages: ReadonlySet<string>): Map<string, Set<string>> {
  const members = new Map<string, Set<string>>()
  for (const [, owner = '', name = ''] of text.matchAll(/\b([A-Za-z_]\w*)\.([A-Z]\w*)/g)) {
    if (packages.has(owner)) getOrMake(members, owner, () => new Set()).add(name)
  }
  return members
}

interface Located {
  /** Group 1 of the pattern. */
  readonly specifier: string
  readonly line: number
  readonly match: RegExpMatchArray
}

/** Finds every match of a pattern, with its line. */
function located(text: string, pattern: RegExp): Located[] {
  const found: Located[] = []
  let line = 1
  let counted = 0
  for (const match of text.matchAll(pattern)) {
    for (; counted < match.index; counted++) if (text.charCodeAt(counted) === 10) line++
    found.push({ specifier: match[1] ?? '', line, match })
  }
  return found
}

/** Runs one pattern over the text; group 1 is the specifier. */
function each(text: string, pattern: RegExp, kind: string): ImportRef[] {
  return located(text, pattern)
    .filter(({ specifier }) => specifier !== '')
    .map(({ specifier, line }) => ({ specifier, kind, line }))
}
