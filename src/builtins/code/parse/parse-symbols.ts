import { OWN_FOLDER } from '../cocosearch-names.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Language, type Node, Query, type QueryMatch } from 'web-tree-sitter'
import { readText } from '../../../base/git/read-git.ts'
import { type CodeSymbol, type SymbolType, scopeInside } from '../code-symbol.ts'
import { Grammars, PARSE_LIMIT_MS } from './grammars.ts'
import { SYMBOL_QUERIES } from './symbol-queries.ts'

export interface ParsedSymbols {
  readonly symbols: readonly CodeSymbol[]
  readonly parse: {
    readonly status: 'ok' | 'partial' | 'error' | 'no_grammar'
    readonly message?: string
  }
}

const MAX_ERROR_LINES = 10

/** Finds the definitions of a file with tree-sitter. Expensive, so it runs in a worker thread. */
export class SymbolParser {
  readonly #grammars: Grammars
  readonly #queries = new Map<string, Query | undefined>()
  readonly #queryFolders: readonly string[]

  constructor(projectRoot?: string, grammars: Grammars = new Grammars()) {
    this.#grammars = grammars
    const folders = [projectRoot, homedir()].filter((folder) => folder !== undefined)
    this.#queryFolders = folders.map((folder) => join(folder, OWN_FOLDER, 'queries'))
  }

  async parse(grammar: string, text: string): Promise<ParsedSymbols> {
    const language = await this.#grammars.load(grammar)
    const query = language && this.#query(grammar, language)
    if (!query) {
      return failed('no_grammar', `The grammar ${grammar} is not installed`)
    }
    const tree = await this.#grammars.parse(language, READABLE[grammar]?.(text) ?? text)
    if (!tree) return failed('error', `Parsing took longer than ${PARSE_LIMIT_MS} ms`)
    try {
      return {
        symbols: toSymbols(query.matches(tree.rootNode), text),
        parse: tree.rootNode.hasError
          ? {
              status: 'partial',
              message: `ERROR nodes at lines: ${errorLines(tree.rootNode).join(', ')}`,
            }
          : { status: 'ok' },
      }
    } finally {
      tree.delete()
    }
  }

  /** Returns the project's query for a grammar, else the user's, else the built-in one. */
  #query(grammar: string, language: Language): Query | undefined {
    if (!this.#queries.has(grammar)) {
      const own = this.#queryFolders
        .map((folder) => readText(join(folder, `${grammar}.scm`)))
        .find((text) => text !== undefined)
      const source = own ?? SYMBOL_QUERIES[grammar]
      this.#queries.set(grammar, source === undefined ? undefined : new Query(language, source))
    }
    return this.#queries.get(grammar)
  }
}

/** Replaces text that a grammar cannot parse by blanks, so that all positions stay the same. */
const READABLE: Readonly<Record<string, (text: string) => string>> = {
  // `class MY_EXPORT Buffer {`: only the preprocessor knows what MY_EXPORT is.
  cpp: (text) =>
    text.replaceAll(
      /(?<=\b(?:class|struct|union)[ \t])[A-Z][A-Z0-9_]+(?:\([^()\n]{0,80}\))?(?=[ \t]+\w+(?:[ \t]+final)?\s*[:{])/g,
      (macro) => ' '.repeat(macro.length),
    ),
  kotlin: (text) => text.replaceAll(/\bfun(?=[ \t]+interface\b)/g, '   '),
}

function failed(status: 'error' | 'no_grammar', message: string): ParsedSymbols {
  return { symbols: [], parse: { status, message } }
}

interface SymbolMatch {
  readonly node: Node
  readonly name: string
  /** The position of the name in the text. */
  readonly nameAt: number
  readonly type: SymbolType
}

/** Returns the symbols in text order, each with the names of its enclosing symbols. */
function toSymbols(matches: readonly QueryMatch[], text: string): CodeSymbol[] {
  const lines = text.split('\n')
  const found = onePerName(matches.map(toFound).filter((each) => each !== undefined)).toSorted(
    (a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex,
  )
  const open: (SymbolMatch & { readonly scope: string })[] = []
  return found.map((symbol) => {
    while (open.length > 0 && (open.at(-1)?.node.endIndex ?? 0) <= symbol.node.startIndex)
      open.pop()
    const parent = open.at(-1)
    const scope = scopeInside(parent)
    open.push({ ...symbol, scope })
    const inClass = parent?.type === 'class' || parent?.type === 'interface'
    return {
      name: symbol.name,
      type: symbol.type === 'function' && inClass ? 'method' : symbol.type,
      startLine: symbol.node.startPosition.row + 1,
      endLine: symbol.node.endPosition.row + 1,
      scope,
      signature: (lines[symbol.node.startPosition.row] ?? '').trim().slice(0, 200),
    }
  })
}

/**
 * Keeps the most exact type of a definition that a query finds twice, such as `const f = () => 1`
 * or an interface that is also matched as a class.
 */
function onePerName(found: readonly SymbolMatch[]): SymbolMatch[] {
  const byName = new Map<number, SymbolMatch>()
  for (const each of found) {
    const known = byName.get(each.nameAt)
    if (!known || EXACTNESS.indexOf(each.type) < EXACTNESS.indexOf(known.type))
      byName.set(each.nameAt, each)
  }
  return [...byName.values()]
}

const EXACTNESS: readonly SymbolType[] = [
  'interface',
  'method',
  'function',
  'class',
  'module',
  'constant',
]

const TYPES = new Set<string>(['function', 'class', 'method', 'interface', 'constant', 'module'])

function isSymbolType(text: string): text is SymbolType {
  return TYPES.has(text)
}

function toFound({ captures }: QueryMatch): SymbolMatch | undefined {
  const whole = captures.find(({ name }) => name.startsWith('definition.'))
  const name = captures.find((capture) => capture.name === 'name')
  const type = whole?.name.slice('definition.'.length) ?? ''
  if (!whole || !name || !isSymbolType(type)) return undefined
  return {
    node: whole.node,
    nameAt: name.node.startIndex,
    name: name.node.text.replace(/^["'`]|["'`]$/g, '').slice(0, 200),
    type,
  }
}

function errorLines(root: Node): number[] {
  const lines = new Set<number>()
  const visit = (node: Node): void => {
    if (lines.size >= MAX_ERROR_LINES) return
    if (node.isError || node.isMissing) lines.add(node.startPosition.row + 1)
    else for (const child of node.children) if (child?.hasError) visit(child)
  }
  visit(root)
  return [...lines].toSorted((a, b) => a - b)
}
