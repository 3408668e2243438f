import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Language, type Node, Parser, Query, type QueryMatch } from 'web-tree-sitter'
import type { CodeSymbol, SymbolType } from '../scan/code-symbol.ts'
import { grammarFile } from './grammar-file.ts'
import { SYMBOL_QUERIES } from './symbol-queries.ts'

export interface ParsedSymbols {
  readonly symbols: readonly CodeSymbol[]
  readonly parse: {
    readonly status: 'ok' | 'partial' | 'error' | 'no_grammar'
    readonly message?: string
  }
}

/** A file that takes longer is hostile or huge, and keeps what the scanner found. */
const TIME_LIMIT_MS = 2_000
const MAX_ERROR_LINES = 10

interface Loaded {
  readonly language: Language
  readonly query: Query
}

/** Parses with tree-sitter, one grammar loaded once. Heavy: lives in a worker thread. */
export class SymbolParser {
  readonly #grammars = new Map<string, Promise<Loaded | undefined>>()
  readonly #queryFolders: readonly string[]
  #parser: Promise<Parser> | undefined

  constructor(projectRoot?: string) {
    const folders = [projectRoot, homedir()].filter((folder) => folder !== undefined)
    this.#queryFolders = folders.map((folder) => join(folder, '.cocosearch/queries'))
  }

  async parse(grammar: string, text: string): Promise<ParsedSymbols> {
    this.#parser ??= createParser()
    const parser = await this.#parser
    const loaded = await this.#load(grammar)
    if (!loaded) {
      return {
        symbols: [],
        parse: { status: 'no_grammar', message: `The grammar ${grammar} is not installed` },
      }
    }
    parser.setLanguage(loaded.language)
    const started = performance.now()
    const tree = parser.parse(text, null, {
      progressCallback: () => performance.now() - started > TIME_LIMIT_MS,
    })
    if (!tree) {
      parser.reset()
      return {
        symbols: [],
        parse: { status: 'error', message: `Parsing took longer than ${TIME_LIMIT_MS} ms` },
      }
    }
    try {
      return {
        symbols: toSymbols(loaded.query.matches(tree.rootNode), text),
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

  async #load(grammar: string): Promise<Loaded | undefined> {
    const known = this.#grammars.get(grammar)
    if (known) return known
    const loading = loadGrammar(grammar, this.#queryFolders)
    this.#grammars.set(grammar, loading)
    return loading
  }
}

async function createParser(): Promise<Parser> {
  await Parser.init()
  return new Parser()
}

async function loadGrammar(
  grammar: string,
  folders: readonly string[],
): Promise<Loaded | undefined> {
  const file = grammarFile(grammar)
  const own = folders
    .map((folder) => join(folder, `${grammar}.scm`))
    .find((path) => existsSync(path))
  const source = own === undefined ? SYMBOL_QUERIES[grammar] : readFileSync(own, 'utf8')
  if (file === undefined || source === undefined) return undefined
  const language = await Language.load(file)
  return { language, query: new Query(language, source) }
}

interface Found {
  readonly node: Node
  readonly name: string
  readonly type: SymbolType
}

/** In the order of the text, each with the names of those that enclose it. */
function toSymbols(matches: readonly QueryMatch[], text: string): CodeSymbol[] {
  const lines = text.split('\n')
  const found = matches
    .map(toFound)
    .filter((each) => each !== undefined)
    .toSorted((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex)
  const open: Found[] = []
  return found.map((symbol) => {
    while (open.length > 0 && (open.at(-1)?.node.endIndex ?? 0) <= symbol.node.startIndex)
      open.pop()
    const scope = open.map(({ name }) => name).join('.')
    const parent = open.at(-1)?.type
    open.push(symbol)
    const inClass = parent === 'class' || parent === 'interface'
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

const TYPES = new Set<string>(['function', 'class', 'method', 'interface', 'constant', 'module'])

function isSymbolType(text: string): text is SymbolType {
  return TYPES.has(text)
}

function toFound({ captures }: QueryMatch): Found | undefined {
  const whole = captures.find(({ name }) => name.startsWith('definition.'))
  const name = captures.find((capture) => capture.name === 'name')
  const type = whole?.name.slice('definition.'.length) ?? ''
  if (!whole || !name || !isSymbolType(type)) return undefined
  return {
    node: whole.node,
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
