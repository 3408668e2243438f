import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../languages/languages.ts'
import { qualifiedName } from '../scan/code-symbol.ts'
import { SymbolParser } from './parse-symbols.ts'

const parser = new SymbolParser()

const SOURCES: Readonly<Record<string, readonly [text: string, expected: readonly string[]]>> = {
  typescript: [
    'class A<T> {\n  run = () => 1\n  get x() { return 1 }\n}\ninterface I {}\n',
    ['class A', 'method A.run', 'method A.x', 'interface I'],
  ],
  tsx: ['const App = () => <div/>\n', ['function App']],
  javascript: [
    'module.exports.go = function () {}\nclass A { run() {} }\n',
    ['function go', 'class A', 'method A.run'],
  ],
  python: ['class A:\n  @x\n  def run(self): ...\n', ['class A', 'method A.run']],
  go: ['package p\ntype I interface{}\nfunc (t T) Run() {}\n', ['interface I', 'method Run']],
  rust: ['struct S;\nimpl S { fn run() {} }\n', ['class S', 'class S', 'method S.run']],
  java: ['class A { A() {} void run() {} }\n', ['class A', 'method A.A', 'method A.run']],
  'c-sharp': [
    'namespace N { class A { void Run() {} } }\n',
    ['module N', 'class N.A', 'method N.A.Run'],
  ],
  cpp: [
    'namespace n { class A { void run() {} }; }\nint* go() { return 0; }\n',
    ['module n', 'class n.A', 'method n.A.run', 'function go'],
  ],
  ruby: [
    'module M\n  class A\n    def self.run; end\n  end\nend\n',
    ['module M', 'class M.A', 'method M.A.run'],
  ],
  php: ['<?php\nclass A { function run() {} }\n', ['class A', 'method A.run']],
  bash: ['go() { :; }\n', ['function go']],
  powershell: ['function Get-It { }\n', ['function Get-It']],
  css: ['.a { color: red }\n', ['class .a']],
  ini: ['[a]\nb=1\n', ['class a']],
  kotlin: [
    'class A {\n  fun run() {\n  }\n}\nobject O {\n}\n',
    ['class A', 'method A.run', 'class O'],
  ],
  scala: [
    'trait T { def run(): Int }\nobject O { def go = 1 }\n',
    ['interface T', 'method T.run', 'class O', 'method O.go'],
  ],
}

describe('the parser', () => {
  it.each(Object.entries(SOURCES))(
    'knows the definitions of %s',
    async (grammar, [text, expected]) => {
      const { symbols, parse } = await parser.parse(grammar, text)
      expect(symbols.map((symbol) => `${symbol.type} ${qualifiedName(symbol)}`)).toEqual(expected)
      expect(parse).toEqual({ status: 'ok' })
    },
  )

  it('has a test for every grammar a language asks for, sixteen at least', () => {
    const asked = new Set(
      LANGUAGES.map(({ grammar }) => grammar).filter((grammar) => grammar !== undefined),
    )
    expect([...asked].toSorted()).toEqual(Object.keys(SOURCES).toSorted())
    expect(asked.size).toBeGreaterThanOrEqual(16)
  })

  it('tells the lines it could not read and keeps what it could', async () => {
    const { symbols, parse } = await parser.parse(
      'python',
      'def good():\n  pass\n\ndef bad(:\n  pass\n',
    )
    expect(parse.status).toBe('partial')
    expect(parse.message).toContain('4')
    expect(symbols[0]?.name).toBe('good')
  })

  it('says when a grammar is missing', async () => {
    expect((await parser.parse('cobol', '')).parse.status).toBe('no_grammar')
  })
})
