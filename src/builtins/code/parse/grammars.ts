import { Language, Parser, type Tree } from 'web-tree-sitter'
import { grammarFile } from './grammar-file.ts'

/** A file that takes longer is hostile or huge. */
export const PARSE_LIMIT_MS = 2_000

/** The tree-sitter grammars, each loaded once. */
export class Grammars {
  readonly #languages = new Map<string, Promise<Language | undefined>>()
  #parser: Promise<Parser> | undefined

  /** Returns undefined if the grammar is not installed. */
  async load(grammar: string): Promise<Language | undefined> {
    this.#parser ??= createParser()
    await this.#parser
    const loading = this.#languages.get(grammar) ?? loadLanguage(grammar)
    this.#languages.set(grammar, loading)
    return loading
  }

  /** Returns undefined if parsing took too long. The caller must delete the tree. */
  async parse(language: Language, text: string): Promise<Tree | undefined> {
    this.#parser ??= createParser()
    const parser = await this.#parser
    parser.setLanguage(language)
    const started = performance.now()
    const tree = parser.parse(text, null, {
      progressCallback: () => performance.now() - started > PARSE_LIMIT_MS,
    })
    if (!tree) parser.reset()
    return tree ?? undefined
  }
}

async function createParser(): Promise<Parser> {
  await Parser.init()
  return new Parser()
}

async function loadLanguage(grammar: string): Promise<Language | undefined> {
  const file = grammarFile(grammar)
  return file === undefined ? undefined : Language.load(file)
}
