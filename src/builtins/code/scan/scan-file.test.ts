import { describe, expect, it } from 'vitest'
import { qualifiedName } from '../code-symbol.ts'
import { scanFile } from './scan-file.ts'

const symbolsOf = (path: string, text: string): string[] =>
  scanFile(path, text).symbols.map((symbol) => `${symbol.type} ${qualifiedName(symbol)}`)

const blocksOf = (path: string, text: string): string[] =>
  scanFile(path, text).blocks.map(({ hierarchy }) => hierarchy)

const SOURCES: readonly (readonly [path: string, text: string, expected: readonly string[]])[] = [
  [
    'a.ts',
    'export class A extends B {\n  private async run<T>(x: T): Promise<void> {\n    if (x) {\n    }\n  }\n}\nexport const go = async (a: string) => {\n}\ntype T = 1\n',
    ['class A', 'method A.run', 'function go', 'interface T'],
  ],
  [
    'a.py',
    'class A:\n    def run(self):\n        pass\n\nasync def go():\n    pass\n',
    ['class A', 'method A.run', 'function go'],
  ],
  [
    'a.go',
    'type T struct {\n}\nfunc (t *T) Run() {\n}\nfunc Go[K any]() {\n}\n',
    ['class T', 'method Run', 'function Go'],
  ],
  [
    'a.rs',
    'pub struct S;\nimpl Run for S {\n    pub async fn run(&self) {\n    }\n}\n',
    ['class S', 'class S', 'method S.run'],
  ],
  [
    'A.java',
    'public class A {\n    public static <T> List<T> run(T x) throws E {\n        return of(x);\n    }\n}\n',
    ['class A', 'method A.run'],
  ],
  ['a.kt', 'data class A(val x: Int)\nfun String.go(): Int = 1\n', ['class A', 'function go']],
  [
    'a.swift',
    'public protocol P {\n}\nextension A: P {\n    func run() {\n    }\n}\n',
    ['interface P', 'class A', 'method A.run'],
  ],
  [
    'a.scala',
    'sealed trait T\nobject O {\n  def run(x: Int): Int = x\n}\n',
    ['interface T', 'class O', 'method O.run'],
  ],
  [
    'a.c',
    '#define MAX 1\nstatic int run(int a)\n{\n  return go(a);\n}\n',
    ['constant MAX', 'function run'],
  ],
  [
    'a.rb',
    'module M\n  class A\n    def run?\n    end\n  end\nend\n',
    ['module M', 'class M.A', 'method M.A.run?'],
  ],
  [
    'a.php',
    '<?php\nfinal class A {\n    public function run() {\n    }\n}\n',
    ['class A', 'method A.run'],
  ],
  ['a.ex', 'defmodule My.A do\n  def run(x), do: x\nend\n', ['module My.A', 'function My.A.run']],
  ['a.hs', 'data T = A | B\nrun :: Int -> Int\nrun x = x\n', ['class T', 'function run']],
  ['a.lua', 'local function go()\nend\nfunction M.run()\nend\n', ['function go', 'function run']],
  ['a.sh', 'go() {\n  :\n}\nfunction run {\n  :\n}\n', ['function go', 'function run']],
  [
    'a.cs',
    'namespace N {\n    public class A {\n        public async Task<int> Run(int x) {\n        }\n    }\n}\n',
    ['module N', 'class N.A', 'method N.A.Run'],
  ],
  [
    'a.zig',
    'pub const T = struct {\n    pub fn run() void {\n    }\n};\n',
    ['class T', 'method T.run'],
  ],
]

const CONFIGS: readonly (readonly [
  path: string,
  grammar: string,
  text: string,
  expected: readonly string[],
])[] = [
  [
    '.github/workflows/ci.yml',
    'github-actions',
    'on: push\njobs:\n  build:\n    steps:\n      - name: Checkout code\n      - uses: actions/checkout@v4\n',
    ['key:on', 'job:build', 'step:Checkout code', 'step:actions/checkout@v4'],
  ],
  [
    '.gitlab-ci.yml',
    'gitlab-ci',
    'stages: [a]\n.base_job:\n  image: x\nbuild:\n  script: y\n',
    ['key:stages', 'template:.base_job', 'job:.base_job.image', 'job:build', 'job:build.script'],
  ],
  ['docker-compose.yml', 'docker-compose', 'services:\n  web:\n    image: x\n', ['service:web']],
  [
    'k/app.yaml',
    'argocd',
    'apiVersion: argoproj.io/v1alpha1\nkind: Application\n',
    ['section-key:apiVersion', 'kind:Application'],
  ],
  [
    'k/d.yaml',
    'kubernetes',
    'apiVersion: apps/v1\nkind: Deployment\n',
    ['key:apiVersion', 'kind:Deployment'],
  ],
  [
    'c/Chart.yaml',
    'helm-chart',
    'apiVersion: v2\nname: x\ndependencies:\n  - name: postgresql\n',
    ['key:apiVersion', 'key:name', 'key:dependencies', 'dependency:postgresql'],
  ],
  [
    'c/templates/d.yaml',
    'helm-template',
    '{{- define "mychart.fullname" -}}\nkind: Deployment\n{{ .Values.x }}\n',
    ['define:mychart.fullname', 'kind:Deployment'],
  ],
  [
    'c/values.yaml',
    'helm-values',
    '## Global parameters\nimage: x\nservice: y\ningress: z\n',
    ['section:Global parameters', 'key:image', 'key:service', 'key:ingress'],
  ],
  [
    'main.tf',
    'terraform',
    'resource "aws_s3_bucket" "data" {\n  bucket = "b"\n}\n',
    ['resource.aws_s3_bucket.data'],
  ],
]

describe('scanFile', () => {
  it.each(SOURCES)(
    'finds the definitions of %s with what encloses them',
    (path, text, expected) => {
      expect(symbolsOf(path, text)).toEqual(expected)
    },
  )

  it.each(CONFIGS)('knows %s for %s and names its blocks', (path, grammar, text, expected) => {
    expect(scanFile(path, text).languageId).toBe(grammar)
    expect(blocksOf(path, text)).toEqual(expected)
  })

  it('names the stages of a Dockerfile', () => {
    expect(
      blocksOf(
        'Dockerfile',
        'FROM node:20 AS build\nARG X=1\nFROM nginx\nCOPY --from=build a b\nEXPOSE 80\n',
      ),
    ).toEqual(['stage:build', 'arg:X', 'image:nginx', 'from:build', 'port:80'])
  })

  it('cuts where definitions begin, with their comments, and covers every line', () => {
    const body = '  work()\n'.repeat(60)
    const text = `// first\nfunction a() {\n${body}}\n\n// second\nfunction b() {\n${body}}\n`
    const { chunks } = scanFile('a.js', text, { size: 800 }).code
    expect(chunks.find(({ definitions }) => definitions.includes('b'))?.text).toMatch(
      /^\/\/ second/,
    )
    expect(chunks.at(-1)?.endLine).toBe(text.split('\n').length - 1)
    const gaps = chunks.slice(1).map(({ startLine }, at) => startLine - (chunks[at]?.endLine ?? 0))
    expect(gaps.every((gap) => gap === 1)).toBe(true)
  })

  it('repeats lines where an overlap is asked for', () => {
    const text = Array.from({ length: 100 }, (_, n) => `line number ${n}`).join('\n')
    const [first, second] = scanFile('a.txt', text, { size: 300, overlap: 60 }).code.chunks
    expect(second?.startLine).toBeLessThanOrEqual(first?.endLine ?? 0)
  })

  it('counts lines in characters, not bytes, so that no accent shifts a symbol', () => {
    const [symbol] = scanFile('a.ts', '// ééééé 漢字\nfunction naïve() {\n}\n').symbols
    expect(symbol).toMatchObject({ startLine: 2, endLine: 3, signature: 'function naïve() {' })
  })

  it('takes a line of a megabyte in its stride', () => {
    const started = performance.now()
    scanFile('a.js', `const x = ${'(a,'.repeat(300_000)}`)
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it.each(['Hostile.java', 'hostile.cs', 'hostile.kt', 'hostile.cpp', 'hostile.ts'])(
    'reads lines made to lead its rules astray in little time: %s',
    (path) => {
      const hostile = ['a ', 'A.B<C>, ', 'public static ', '@a(b) ', 'x::', '<a,', 'a[] '].map(
        (bit) => `  public ${bit.repeat(200)}`.slice(0, 390),
      )
      const text = Array.from({ length: 60 }, () => hostile)
        .flat()
        .join('\n')
      const before = process.cpuUsage()
      scanFile(path, text)
      const { user } = process.cpuUsage(before)
      // A rule that tries every way to split a line needs seconds for a single one.
      expect(user / 1_000).toBeLessThan(1_500)
    },
  )
})
