import { DECLARES, type ImportRef } from './import-ref.ts'

type Extract = (text: string) => ImportRef[]

/** Runs one pattern over the text; group 1 is the specifier. */
function each(text: string, pattern: RegExp, kind: string): ImportRef[] {
  return located(text, pattern)
    .filter(({ specifier }) => specifier !== '')
    .map(({ specifier, line }) => ({ specifier, kind, line }))
}

const python: Extract = (text) => {
  const found: ImportRef[] = []
  const plain = text.replace(/("""|''')[\s\S]*?\1/g, (block) => block.replace(/[^\n]/g, ' '))
  const from = /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#;]+))/gm
  for (const { specifier, line, match } of located(plain, from)) {
    const list = (match[2] ?? match[3] ?? '').replace(/#[^\n]*/g, '')
    const names = list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
    found.push({
      specifier,
      kind: 'import',
      line,
      names: names.filter((name) => /^[\w*]+$/.test(name)),
    })
  }
  for (const { line, match } of located(plain, /^[ \t]*import[ \t]+([^\n#;]+)/gm)) {
    for (const part of (match[1] ?? '').split(',')) {
      const specifier = part.trim().split(/\s+as\s+/)[0] ?? ''
      if (/^[\w.]+$/.test(specifier)) found.push({ specifier, kind: 'import', line })
    }
  }
  return found
}

const go: Extract = (text) => [
  ...each(text, /^import\s+(?:[\w.]+\s+)?"([^"\n]+)"/gm, 'import'),
  ...located(text, /^import\s*\(([^)]*)\)/gm).flatMap(({ line, match }) =>
    each(match[1] ?? '', /"([^"\n]+)"/g, 'import').map((ref) => ({
      ...ref,
      line: ref.line + line - 1,
    })),
  ),
]

const rust: Extract = (text) => [
  ...each(text, /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/gm, 'mod'),
  ...located(text, /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/gm).flatMap(({ line, match }) =>
    expandUse((match[1] ?? '').replace(/\/\/[^\n]*/g, '').replace(/\s+/g, ' ')).map(
      (specifier) => ({
        specifier,
        kind: 'use',
        line,
      }),
    ),
  ),
]

/** `a::{b, c::{d}}` → `a::b`, `a::c::d`. */
function expandUse(path: string): string[] {
  const open = path.indexOf('{')
  if (open < 0) return [path.replace(/\s+as\s+\w+$/, '').trim()]
  const close = path.lastIndexOf('}')
  const prefix = path.slice(0, open).trim()
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
    .flatMap((part) => expandUse(prefix + part.trim()))
}

const jvm: Extract = (text) =>
  each(text, /^[ \t]*import\s+(?:static\s+)?([\w.]+(?:\.[*_]|\.\{[^}]*\})?)/gm, 'import')

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
    /^[ \t]*use\s+(?:function\s+|const\s+)?(\\?[A-Za-z_][^;({]*(?:\{[^}]*\})?[^;({]*);/gm,
  ).flatMap(({ line, match }) =>
    phpUse(match[1] ?? '').map((specifier) => ({ specifier, kind: 'use', line })),
  ),
  ...each(
    text,
    /\b(?:require|include)(?:_once)?[ (]+(?:__DIR__\s*\.\s*)?["']([^"'\n]+)["']/g,
    'include',
  ),
]

function phpUse(list: string): string[] {
  const group = /^\s*(\\?[\w\\]+\\)\{([\s\S]*)\}\s*$/.exec(list)
  const [prefix, names] = group ? [group[1] ?? '', group[2] ?? ''] : ['', list]
  return names
    .split(',')
    .map((name) => prefix + (name.trim().split(/\s+as\s+/i)[0] ?? ''))
    .map((name) => name.replace(/^\\/, ''))
    .filter((name) => /^[\w\\]+$/.test(name))
}

const EXTRACTORS: Readonly<Record<string, Extract>> = {
  python,
  go,
  rust,
  java: jvm,
  kotlin: jvm,
  scala: jvm,
  groovy: jvm,
  c: cFamily,
  cpp: cFamily,
  ruby,
  php,
  lua: (text) => each(text, /\brequire[ (]*["']([\w./-]+)["']/g, 'require'),
  haskell: (text) => each(text, /^import\s+(?:qualified\s+)?([A-Z][\w.]*)/gm, 'import'),
  dart: (text) => each(text, /^(?:import|export|part)\s+['"]([^'"\n]+)['"]/gm, 'import'),
  bash: (text) => each(text, /^[ \t]*(?:source|\.)[ \t]+["']?([^\s"';&|]+)/gm, 'source'),
  css: (text) => each(text, /@import\s+(?:url\()?["']([^"'\n]+)["']/g, 'import'),
  scss: (text) => each(text, /@(?:import|use|forward)\s+["']([^"'\n]+)["']/g, 'import'),
  protobuf: (text) => each(text, /^import\s+(?:public\s+|weak\s+)?"([^"\n]+)"/gm, 'import'),
  csharp: (text) => [
    ...each(text, /^[ \t]*namespace[ \t]+([A-Z][\w.]*)/gm, DECLARES),
    ...each(
      text,
      /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([A-Z][\w.]*)[ \t]*;/gm,
      'using',
    ),
  ],
  elixir: (text) => [
    ...each(text, /^[ \t]*def(?:module|protocol)[ \t]+([A-Z][\w.]*)/gm, DECLARES),
    ...located(
      text,
      /^[ \t]*(?:alias|import|use|require)[ \t]+([A-Z][\w.]*)(?:\{([^}]*)\})?/gm,
    ).flatMap(({ specifier, line, match }) => {
      const inner = match[2]?.split(',').map((name) => specifier + name.trim())
      return (inner ?? [specifier]).map((name) => ({ specifier: name, kind: 'import', line }))
    }),
  ],
  zig: (text) => each(text, /@import\("([^"\n]+)"\)/g, 'import'),
}

/** What the languages other than ECMAScript import, one statement at a time. */
export function lineImports(language: string, text: string): ImportRef[] {
  return EXTRACTORS[language]?.(text) ?? []
}

interface Located {
  readonly specifier: string
  readonly line: number
  readonly match: RegExpMatchArray
}

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
