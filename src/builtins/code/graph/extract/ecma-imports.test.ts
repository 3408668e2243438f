import { expect, it } from 'vitest'
import { ecmaImports } from './ecma-imports.ts'

const specifiers = (source: string): string[] =>
  ecmaImports(source).map(({ specifier }) => specifier)

it('finds every way to name a module', () => {
  const source = `
    import 'side'
    import a from "a"
    import type { T } from './types.ts'
    import d, { x as y, type Z } from 'named'
    import * as ns from 'star'
    import legacy = require('legacy')
    export * from './all'
    export * as all from './as'
    export type { Q } from './q'
    export { one, two as three } from './some'
    const lazy = await import('./lazy.js')
    const old = require("old")
    type In = import('./in-type').In
    declare module './augmented' { }
    /// <reference path="./ref.d.ts" />
  `
  expect(specifiers(source)).toEqual(
    'side,a,./types.ts,named,star,legacy,./all,./as,./q,./some,./lazy.js,old,./in-type,./augmented,./ref.d.ts'.split(
      ',',
    ),
  )
})

it('is not fooled by comments, strings, templates, regular expressions and JSX text', () => {
  const source = [
    `// import 'no'`,
    `/* import x from 'no' */`,
    `const s = "import 'no'"`,
    'const t = `import x from "no"; ${await import("./yes")} require("no")`',
    `const r = /import 'no'/ ; const q = a / b; import('./yes2')`,
    `const el = <p>Don't import this</p>`,
    `meta = import.meta.url; obj.import('no'); obj.require('no')`,
    `export const from = 'no'`,
    `export { a }`,
    `import(name)`,
  ].join('\n')
  expect(specifiers(source)).toEqual(['./yes', './yes2'])
})

it('tells the line and the names', () => {
  expect(ecmaImports(`\n\nimport {\n  a,\n  b as c,\n} from './x'\n`)).toEqual([
    { specifier: './x', kind: 'import', line: 6, names: ['a', 'b'], aliases: [['b', 'c']] },
  ])
})

it('takes linear time on hostile input', () => {
  const started = performance.now()
  ecmaImports('import {'.repeat(20_000) + '`${'.repeat(20_000))
  expect(performance.now() - started).toBeLessThan(20_000)
})
