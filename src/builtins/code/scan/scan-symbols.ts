import { getOrMake } from '../../../base/maps.ts'
import type { DefinitionRule } from './definition-rule.ts'
import { DEFINITION_RULES } from './definition-rules.ts'
import { type CodeSymbol, type SymbolType, scopeInside } from '../code-symbol.ts'

/** Longer lines are generated or data; patterns are not run on them. */
const MAX_LINE = 400

interface SymbolMatch {
  readonly name: string
  readonly type: SymbolType
  readonly line: number
  readonly indent: number
}

/**
 * Finds the definitions of a file line by line, by the conventions of its language. It needs no
 * grammar, takes a fraction of the time of a parse, and uses indentation to tell what encloses
 * what; if a grammar exists, the parser's symbols replace these.
 */
export function scanSymbols(language: string, lines: readonly string[]): CodeSymbol[] {
  const rules = DEFINITION_RULES[language]
  if (!rules) return []
  const found: SymbolMatch[] = []
  for (let line = 0; line < lines.length; line++) {
    const text = lines[line] ?? ''
    if (text.length < 4 || text.length > MAX_LINE) continue
    const match = matchRules(NOT_ASCII.test(text) ? inUnicode(rules) : rules, text)
    if (match) found.push({ ...match, line, indent: indentOf(text) })
  }
  return withScopes(found, lines)
}

const NOT_ASCII = /[^\0-\x7F]/
const unicodeRules = new WeakMap<readonly DefinitionRule[], readonly DefinitionRule[]>()

/** Returns the rules with letters of every alphabet; slower, so only for lines that need it. */
function inUnicode(rules: readonly DefinitionRule[]): readonly DefinitionRule[] {
  return getOrMake(unicodeRules, rules, () =>
    rules.map(({ pattern, type }) => ({ pattern: withLetters(pattern), type })),
  )
}

function withLetters({ source, flags }: RegExp): RegExp {
  const wide = source
    .replace(/\[(?:\\.|[^\]\\])*\]/g, (set) =>
      set.replaceAll('\\w', '\\p{L}\\p{N}_').replace('A-Za-z', '\\p{L}'),
    )
    .replaceAll('\\w', '[\\p{L}\\p{N}_]')
  try {
    return new RegExp(wide, `${flags}u`)
  } catch {
    return new RegExp(source, flags)
  }
}

const NOT_A_NAME = new Set(
  'if for while switch return catch else do new function throw await typeof with super in of sizeof async'.split(
    ' ',
  ),
)

function matchRules(
  rules: readonly DefinitionRule[],
  text: string,
): { name: string; type: SymbolType } | undefined {
  for (const { pattern, type } of rules) {
    const groups = pattern.exec(text)?.groups
    if (!groups) continue
    const name = groups['name'] || groups['using'] || 'init'
    if (NOT_A_NAME.has(name)) continue
    if (typeof type === 'string') return { name, type }
    const [keyword = ''] = (groups['keyword'] ?? '').toLowerCase().split(' ')
    return { name, type: type[keyword] ?? 'class' }
  }
  return undefined
}

function withScopes(found: readonly SymbolMatch[], lines: readonly string[]): CodeSymbol[] {
  const open: (SymbolMatch & { readonly scope: string })[] = []
  return found.map((symbol, at) => {
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= symbol.indent) open.pop()
    const parent = open.at(-1)
    const scope = scopeInside(parent)
    open.push({ ...symbol, scope })
    const inClass = parent?.type === 'class' || parent?.type === 'interface'
    return {
      name: symbol.name,
      type: symbol.type === 'function' && inClass ? 'method' : symbol.type,
      startLine: symbol.line + 1,
      endLine: lastLine(symbol, found[at + 1], lines) + 1,
      scope,
      signature: (lines[symbol.line] ?? '').trim().slice(0, 200),
    }
  })
}

/**
 * A definition ends where the text returns to its indentation; a closing bracket there still
 * belongs to it.
 */
function lastLine(
  symbol: SymbolMatch,
  next: SymbolMatch | undefined,
  lines: readonly string[],
): number {
  let last = symbol.line
  for (let line = symbol.line + 1; line < lines.length; line++) {
    const text = lines[line] ?? ''
    if (text.trim() === '') continue
    const indent = indentOf(text)
    if (indent > symbol.indent) {
      last = line
      continue
    }
    if (indent < symbol.indent || line === next?.line) return last
    if (/^\s*(?:[\])}]|end\b|fi\b|done\b)/.test(text)) return line
    if (/^\s*(?:\{|:|where\b|=>?|->)/.test(text)) {
      last = line
      continue
    }
    return last
  }
  return last
}

function indentOf(text: string): number {
  let width = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 32) width += 1
    else if (code === 9) width += 4
    else break
  }
  return width
}
