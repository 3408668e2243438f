import { describe, expect, it } from 'vitest'
import { type Texts, targets } from '../../../../../test/support/code-graph.ts'

const CASES: readonly (readonly [
  what: string,
  texts: Texts,
  from: string,
  expected: readonly string[],
])[] = [
  [
    'C# namespaces to the files whose types, or extension methods, are named',
    {
      'App.cs': 'using Shop;\nclass App { Order order = "x".ToOrder(); }\n',
      'Order.cs': 'namespace Shop;\npublic class Order {}\n',
      'Line.cs': 'namespace Shop;\npublic class Line {}\n',
      'Extensions.cs':
        'namespace Shop;\npublic static class Extensions\n{\n    public static Order ToOrder(this string text)\n    {\n    }\n}\n',
    },
    'App.cs',
    ['Extensions.cs', 'Order.cs'],
  ],
  [
    'a wildcard of Java to the classes that are named',
    {
      'src/a/A.java': 'import b.*;\nclass A { B b; }\n',
      'src/b/B.java': 'package b;\npublic class B {}\n',
      'src/b/C.java': 'package b;\npublic class C {}\n',
    },
    'src/a/A.java',
    ['src/b/B.java'],
  ],
  [
    'a wildcard of Kotlin to the functions and classes that are named',
    {
      'src/a/A.kt': 'import b.*\nfun go() = launchAll()\n',
      'src/b/Launch.kt': 'package b\nfun launchAll() {}\n',
      'src/b/Other.kt': 'package b\nclass Other\n',
    },
    'src/a/A.kt',
    ['src/b/Launch.kt'],
  ],
  [
    'a Go package to the files that have what is used of it',
    {
      'go.mod': 'module m\n',
      'main.go': 'package main\nimport "m/pkg"\nfunc main() { pkg.Run() }\n',
      'pkg/run.go': 'package pkg\nfunc Run() {}\n',
      'pkg/stop.go': 'package pkg\nfunc Stop() {}\n',
    },
    'main.go',
    ['pkg/run.go'],
  ],
  [
    'a Go package imported for its side effects to all of it',
    {
      'go.mod': 'module m\n',
      'main.go': 'package main\nimport _ "m/pkg"\n',
      'pkg/run.go': 'package pkg\nfunc Run() {}\n',
      'pkg/stop.go': 'package pkg\nfunc Stop() {}\n',
    },
    'main.go',
    ['pkg/run.go', 'pkg/stop.go'],
  ],
]

describe('an import of a whole package', () => {
  it.each(CASES)('links %s', (_, texts, from, expected) => {
    expect(targets(texts, from)).toEqual(expected)
  })
})
