/** One token of JavaScript or TypeScript, classified only as far as finding imports needs. */
export interface Token {
  readonly kind: 'word' | 'string' | 'punctuation' | 'reference'
  /** The word or sign itself, or the content of a string without its quotes. */
  readonly text: string
  readonly at: number
}

const WORDS_BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else instanceof yield await'.split(' '),
)
const REFERENCE = /^\/\/\/\s*<reference\s+(?:path|types)\s*=\s*["']([^"']+)["']/

/**
 * Splits source text into tokens, without comments, regular expressions and the text of templates.
 * A string ends at the end of its line at the latest, so that an apostrophe in JSX text costs one
 * line, not the file.
 */
export function* lexEcma(source: string): Generator<Token> {
  const lexer = new EcmaLexer(source)
  for (let token = lexer.next(); token; token = lexer.next()) yield token
}

class EcmaLexer {
  readonly #source: string
  #at = 0
  #previous: Token | undefined
  /** For each template whose `${` is open: how many braces are open inside it. */
  readonly #templates: number[] = []

  constructor(source: string) {
    this.#source = source
  }

  next(): Token | undefined {
    while (this.#at < this.#source.length) {
      const token = this.#read()
      if (!token) continue
      if (token.kind !== 'reference') this.#previous = token
      return token
    }
    return undefined
  }

  #read(): Token | undefined {
    const code = this.#source.charCodeAt(this.#at)
    if (code <= 32) return this.#skip(this.#at + 1)
    if (isWordStart(code)) return this.#word()
    const char = this.#source[this.#at] ?? ''
    if (char === '"' || char === "'") return this.#string(char)
    if (char === '`') return this.#template(this.#at + 1)
    if (char === '/') return this.#slash()
    return this.#punctuation(char)
  }

  #skip(to: number): undefined {
    this.#at = to
  }

  #word(): Token {
    const at = this.#at
    let end = at + 1
    while (end < this.#source.length && isWordPart(this.#source.charCodeAt(end))) end++
    this.#at = end
    return { kind: 'word', text: this.#source.slice(at, end), at }
  }

  #string(quote: string): Token {
    const at = this.#at
    let end = at + 1
    for (; end < this.#source.length; end++) {
      const char = this.#source[end]
      if (char === '\\') end++
      else if (char === quote || char === '\n') break
    }
    this.#at = end + 1
    return { kind: 'string', text: this.#source.slice(at + 1, end), at }
  }

  /** Reads a template up to its end or its next `${`; a template without holes is a string. */
  #template(from: number): Token | undefined {
    const at = this.#at
    for (let end = from; end < this.#source.length; end++) {
      const char = this.#source[end]
      if (char === '\\') end++
      else if (char === '`') {
        this.#at = end + 1
        return {
          kind: 'string',
          text: this.#source[at] === '`' ? this.#source.slice(at + 1, end) : '',
          at,
        }
      } else if (char === '$' && this.#source[end + 1] === '{') {
        this.#templates.push(0)
        this.#at = end + 2
        return { kind: 'punctuation', text: '${', at }
      }
    }
    return this.#skip(this.#source.length)
  }

  #slash(): Token | undefined {
    const at = this.#at
    const following = this.#source[at + 1]
    if (following === '/') {
      const end = this.#lineEnd(at)
      this.#at = end
      const [, text] = REFERENCE.exec(this.#source.slice(at, end)) ?? []
      return text === undefined ? undefined : { kind: 'reference', text, at }
    }
    if (following === '*') {
      const end = this.#source.indexOf('*/', at + 2)
      return this.#skip(end < 0 ? this.#source.length : end + 2)
    }
    if (this.#startsRegex()) return this.#skip(this.#regexEnd(at))
    return this.#punctuation('/')
  }

  #startsRegex(): boolean {
    const previous = this.#previous
    if (!previous) return true
    if (previous.kind === 'word') return WORDS_BEFORE_REGEX.has(previous.text)
    return previous.kind === 'punctuation' && !/[)\]}<]/.test(previous.text)
  }

  #regexEnd(from: number): number {
    let inClass = false
    for (let at = from + 1; at < this.#source.length; at++) {
      const char = this.#source[at]
      if (char === '\\') at++
      else if (char === '\n') return at
      else if (char === '[') inClass = true
      else if (char === ']') inClass = false
      else if (char === '/' && !inClass) return at + 1
    }
    return this.#source.length
  }

  #punctuation(char: string): Token | undefined {
    const at = this.#at
    const depth = this.#templates.length - 1
    if (char === '{' && depth >= 0) this.#templates[depth] = (this.#templates[depth] ?? 0) + 1
    if (char === '}' && depth >= 0) {
      const open = this.#templates[depth] ?? 0
      if (open === 0) {
        this.#templates.pop()
        return this.#template(at + 1)
      }
      this.#templates[depth] = open - 1
    }
    this.#at = at + 1
    return { kind: 'punctuation', text: char, at }
  }

  #lineEnd(from: number): number {
    const end = this.#source.indexOf('\n', from)
    return end < 0 ? this.#source.length : end
  }
}

function isWordStart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    code === 36 ||
    code > 127
  )
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || (code >= 48 && code <= 57)
}
