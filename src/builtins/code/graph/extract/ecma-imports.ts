import { type Token, lexEcma } from './ecma-lexer.ts'
import { type Alias, type ImportRef, withAliases } from '../import-ref.ts'

/** The most tokens of an `import { … } from` before it is given up. */
const MAX_CLAUSE_TOKENS = 2_000

/**
 * Finds every module a JavaScript or TypeScript file names: imports, re-exports, `import()`,
 * `require()`, references.
 */
export function ecmaImports(source: string): ImportRef[] {
  return new EcmaImports(source).all()
}

/** The names a statement imports from a module. */
interface Taken {
  readonly names?: readonly string[]
  readonly aliases?: readonly Alias[]
}

class EcmaImports {
  readonly #source: string
  readonly #tokens: Iterator<Token>
  readonly #ahead: Token[] = []
  readonly #found: ImportRef[] = []
  /** Positions of specifiers that `#destructured` has already added, together with their names. */
  readonly #named = new Set<number>()
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
    else if (/^(?:const|let|var)$/.test(token.text)) this.#destructured()
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

  /** Reads `{ a, b as c } from 'x'` without consuming it: the main loop handles anything else. */
  #clause(kind: string): void {
    const names: string[] = []
    const aliases: Alias[] = []
    let depth = 0
    for (let at = 0; at < MAX_CLAUSE_TOKENS; at++) {
      const token = this.#peek(at)
      if (!token || depth > 1) return
      if (depth === 0 && token.text === 'from') {
        const source = this.#peek(at + 1)
        if (source?.kind === 'string') return this.#add(source, kind, { names, aliases })
      }
      depth += Number(token.text === '{') - Number(token.text === '}')
      if (this.#endsClause(token, at, kind)) return
      if (token.kind !== 'word') continue
      if (this.#isName(token, at)) names.push(token.text)
      else aliases.push(...this.#alias(token, at))
    }
  }

  #alias({ text }: Token, at: number): Alias[] {
    const [name, as] = [this.#peek(at - 2), this.#peek(at - 1)]
    return name?.kind === 'word' && as?.text === 'as' ? [[name.text, text]] : []
  }

  /** Reads `const { a, b: c } = require('x')`, or the same with `await import('x')`. */
  #destructured(): void {
    let at = 1
    while (at < MAX_CLAUSE_TOKENS && this.#isPlain(this.#peek(at))) at++
    const sign = this.#peek(at + 2)?.text === 'await' ? at + 3 : at + 2
    const around = [0, at, at + 1, sign, sign + 1].map((place) => this.#peek(place)?.text)
    if (!/^\{ \} = (?:require|import) \($/.test(around.join(' '))) return
    const source = this.#peek(sign + 2)
    if (source?.kind !== 'string') return
    const inside = Array.from({ length: at - 1 }, (_, n) => this.#peek(n + 1)?.text ?? '')
    const taken = inside
      .join('')
      .split(',')
      .filter((part) => part !== '')
      .map((part): Alias => {
        const [name = '', local = name] = part.split(':')
        return [name, local]
      })
    const kind = around[3] === 'import' ? 'dynamic' : 'require'
    this.#add(source, kind, { names: taken.map(([name]) => name), aliases: taken })
    this.#named.add(source.at)
  }

  #isPlain(token: Token | undefined): boolean {
    return token?.kind === 'word' || token?.text === ',' || token?.text === ':'
  }

  #endsClause({ kind, text }: Token, at: number, statement: string): boolean {
    if (kind === 'word') return text === 'import' || text === 'require' || text === 'export'
    if (text === '}' && statement === 'export') return this.#peek(at + 1)?.text !== 'from'
    return !/^[,*{}]$/.test(text)
  }

  #isName({ text }: Token, at: number): boolean {
    return !/^(?:type|as|from)$/.test(text) && this.#peek(at - 1)?.text !== 'as'
  }

  #call(kind: string): void {
    const [open, argument, close] = [this.#peek(), this.#peek(1), this.#peek(2)]
    if (open?.text !== '(' || argument?.kind !== 'string') return
    if (this.#named.has(argument.at)) return
    if (close?.text === ')' || close?.text === ',') this.#add(argument, kind)
  }

  #add(token: Token, kind: string, { names = [], aliases = [] }: Taken = {}): void {
    if (token.text === '') return
    this.#found.push({
      specifier: token.text,
      kind,
      line: this.#lineOf(token.at),
      ...(names.length > 0 && { names }),
      ...withAliases(aliases),
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
