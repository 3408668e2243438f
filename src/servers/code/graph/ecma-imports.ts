import { type Token, lexEcma } from './ecma-lexer.ts'
import type { ImportRef } from './import-ref.ts'

/** Longest `import { … } from` worth following before giving up on it. */
const MAX_CLAUSE_TOKENS = 2_000

/** Every module a JavaScript or TypeScript file names: imports, re-exports, `import()`, `require()`, references. */
export function ecmaImports(source: string): ImportRef[] {
  return new EcmaImports(source).all()
}

class EcmaImports {
  readonly #source: string
  readonly #tokens: Iterator<Token>
  readonly #ahead: Token[] = []
  readonly #found: ImportRef[] = []
  #line = 1
  #counted = 0

  constructor(source: string) {
    this.#source = source
    this.#tokens = lexEcma(source)
  }

  all(): ImportRef[] {
    let previous: Token | undefined
    for (let token = this.#take(); token; token = this.#take()) {
      if (token.kind === 'reference') this.#add(token, 'reference_path')
      else if (token.kind === 'word' && previous?.text !== '.') this.#statement(token, previous)
      previous = token
    }
    return this.#found
  }

  #statement(token: Token, previous: Token | undefined): void {
    if (token.text === 'import') this.#import()
    else if (token.text === 'export') this.#export()
    else if (token.text === 'require') this.#call('require')
    else if (token.text === 'module' && previous?.text === 'declare') {
      const name = this.#peek()
      if (name?.kind === 'string' && name.text.startsWith('.')) this.#add(name, 'augment')
    }
  }

  #import(): void {
    const next = this.#peek()
    if (next?.kind === 'string') this.#add(next, 'import')
    else if (next?.text === '(') this.#call('dynamic')
    else if (next && next.text !== '.' && (next.kind === 'word' || /[{*]/.test(next.text)))
      this.#clause('import')
  }

  #export(): void {
    const [first, second] = [this.#peek(), this.#peek(1)]
    const clause = first?.text === 'type' ? second : first
    if (clause?.text === '{' || clause?.text === '*') this.#clause('export')
  }

  /** `{ a, b as c } from 'x'`, read ahead without consuming: what is no import is left for the main loop. */
  #clause(kind: string): void {
    const names: string[] = []
    let depth = 0
    for (let at = 0; at < MAX_CLAUSE_TOKENS; at++) {
      const token = this.#peek(at)
      if (!token || depth > 1) return
      if (depth === 0 && token.text === 'from') {
        const source = this.#peek(at + 1)
        if (source?.kind === 'string') return this.#add(source, kind, names)
      }
      depth += Number(token.text === '{') - Number(token.text === '}')
      if (this.#endsClause(token, at, kind)) return
      if (token.kind === 'word' && this.#isName(token, at)) names.push(token.text)
    }
  }

  #endsClause({ kind, text }: Token, at: number, statement: string): boolean {
    if (kind === 'word') return text === 'import' || text === 'require'
    if (text === '}' && statement === 'export') return this.#peek(at + 1)?.text !== 'from'
    return !/^[,*{}]$/.test(text)
  }

  #isName({ text }: Token, at: number): boolean {
    return !/^(?:type|as|from)$/.test(text) && this.#peek(at - 1)?.text !== 'as'
  }

  #call(kind: string): void {
    const [open, argument, close] = [this.#peek(), this.#peek(1), this.#peek(2)]
    if (open?.text !== '(' || argument?.kind !== 'string') return
    if (close?.text === ')' || close?.text === ',') this.#add(argument, kind)
  }

  #add(token: Token, kind: string, names: readonly string[] = []): void {
    if (token.text === '') return
    this.#found.push({
      specifier: token.text,
      kind,
      line: this.#lineOf(token.at),
      ...(names.length > 0 && { names }),
    })
  }

  /** Tokens come in order, so line ends are counted once. */
  #lineOf(at: number): number {
    for (; this.#counted < at; this.#counted++) {
      if (this.#source.charCodeAt(this.#counted) === 10) this.#line++
    }
    return this.#line
  }

  #peek(ahead = 0): Token | undefined {
    while (this.#ahead.length <= ahead) {
      const { value, done } = this.#tokens.next()
      if (done) return undefined
      this.#ahead.push(value)
    }
    return this.#ahead[ahead]
  }

  #take(): Token | undefined {
    const token = this.#peek()
    this.#ahead.shift()
    return token
  }
}
