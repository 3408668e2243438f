import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../languages/languages.ts'
import { qualifiedName } from '../code-symbol.ts'
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

/** What is neither a function nor a class, and would be lost if only those were asked for. */
const OTHERS: readonly (readonly [grammar: string, text: string, expected: readonly string[]])[] = [
  [
    'typescript',
    'export const limit = 1\nconst MAX_SIZE = 2\nconst local = 3\nexport const f = () => 1\nfunction g() { const INNER = 1 }\n',
    ['constant limit', 'constant MAX_SIZE', 'function f', 'function g'],
  ],
  ['python', 'MAX = 1\nother = 2\ndef f():\n  LOCAL = 1\n', ['constant MAX', 'function f']],
  [
    'go',
    'package p\ntype Handler func(int)\ntype ID = string\nconst (\n\tA = 1\n)\nvar B = 2\nvar (\n\tC = 3\n)\n',
    ['interface Handler', 'interface ID', 'constant A', 'constant B', 'constant C'],
  ],
  ['rust', 'const A: u8 = 1;\nstatic B: u8 = 2;\n', ['constant A', 'constant B']],
  ['java', 'class A { static final int MAX = 1; int x; }\n', ['class A', 'constant A.MAX']],
  ['c-sharp', 'delegate void Done(int x);\n', ['interface Done']],
  [
    'cpp',
    '#define MAX 1\ntypedef struct { int x; } point;\nusing ints = int;\nunion u { int x; };\nstruct A { ~A() {} };\nint& ref() { }\n',
    [
      'constant MAX',
      'interface point',
      'interface ints',
      'class u',
      'class A',
      'method A.~A',
      'function ref',
    ],
  ],
  [
    'cpp',
    'char **names(void) { }\nFoo* A::get() { }\nconst char** A::all() { }\nstruct B { char* data() { } };\nFoo& A::ref() { }\n',
    ['function names', 'method get', 'method all', 'class B', 'method B.data', 'method ref'],
  ],
  [
    'cpp',
    'typedef void (*done_fn)(int);\ntypedef void plain_fn(int);\ntypedef char *(*text_fn)(int);\ntypedef struct s *handle;\ntypedef char line[80];\n',
    [
      'interface done_fn',
      'interface plain_fn',
      'interface text_fn',
      'interface handle',
      'interface line',
    ],
  ],
  [
    'cpp',
    'class MY_EXPORT Buffer {\n public:\n  virtual int size() const = 0;\n};\nstruct MY_EXPORT Point {\n  int x;\n};\nclass MY_EXPORT Text : public Buffer {\n  int size() const { return 1; }\n};\n',
    ['class Buffer', 'class Point', 'class Text', 'method Text.size'],
  ],
  [
    'typescript',
    'interface I {\n  open(path: string): void\n  name: string\n}\n',
    ['interface I', 'method I.open'],
  ],
  [
    'go',
    'package p\ntype Store interface {\n\tOpen(path string) error\n}\n',
    ['interface Store', 'method Store.Open'],
  ],
  ['ruby', 'class A\n  MAX = 1\nend\n', ['class A', 'constant A.MAX']],
  ['php', '<?php\nclass A { const MAX = 1; }\n', ['class A', 'constant A.MAX']],
  [
    'kotlin',
    'interface I\ntypealias T = Int\nval top = 1\nclass A {\n  val inner = 1\n}\n',
    ['interface I', 'interface T', 'constant top', 'class A'],
  ],
  [
    'kotlin',
    'interface Call {\n  fun interface Factory {\n    fun newCall(): Call\n  }\n}\n',
    ['interface Call', 'interface Call.Factory', 'method Call.Factory.newCall'],
  ],
  ['scala', 'object O { type T = Int }\n', ['class O', 'interface O.T']],
]

describe('the parser', () => {
  it.each(OTHERS)('knows the other definitions of %s', async (grammar, text, expected) => {
    const { symbols } = await parser.parse(grammar, text)
    expect(symbols.map((symbol) => `${symbol.type} ${qualifiedName(symbol)}`)).toEqual(expected)
  })

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

  it('keeps little of the names around definitions that are nested deep', async () => {
    const depth = 2_000
    const text = `${'function outer() {'.repeat(depth)}${'}'.repeat(depth)}`
    const { symbols } = await parser.parse('javascript', text)
    expect(symbols).toHaveLength(depth)
    expect(Math.max(...symbols.map(({ scope }) => scope.length))).toBe(1_000)
  })

  it('says when a grammar is missing', async () => {
    expect((await parser.parse('cobol', '')).parse.status).toBe('no_grammar')
  })
})
