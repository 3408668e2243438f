import { describe, expect, it } from 'vitest'
import { findCalls, findNames } from './find-names.ts'
import { Grammars } from './grammars.ts'

const grammars = new Grammars()

/** By grammar: a text that names `total` in a comment and a string too, and where it is really used. */
const TEXTS: Readonly<Record<string, readonly [text: string, expected: readonly string[]]>> = {
  typescript: [
    `import { total } from './t'\n// total\nconst s = 'total' + \`total \${total}\`\ntotal(1)\nthis.total(2)\nlet x = total\n`,
    ['1 import', '3 use', '4 call', '5 call', '6 use'],
  ],
  tsx: ['const a = <b c={total()}>total</b>\n', ['1 call']],
  javascript: [
    `const { total } = require('./t')\n/* total */ new total()\nmodule.exports = { total }\n`,
    ['1 use', '2 call', '3 use'],
  ],
  python: [
    `from t import total\n# total\n"""total"""\nx = self.total(1) + total(2)\ny = f"total {total}"\n`,
    ['1 import', '4 call', '4 call', '5 use'],
  ],
  go: [
    'package p\n// total\nvar s = "total"\nfunc f() { total(1); p.total(2) }\n',
    ['4 call', '4 call'],
  ],
  rust: [
    'use t::total;\n// total\nfn f() { total(1); x.total(); let s = "total"; total!(1) }\n',
    ['1 import', '3 call', '3 call', '3 call'],
  ],
  java: [
    'import a.total;\nclass A { /* total */ int f() { String s = "total"; return total(1) + a.total(2); } }\n',
    ['1 import', '2 call', '2 call'],
  ],
  'c-sharp': [
    'using total;\nclass A { int F() { var s = "total"; return total(1) + a.total(2); } } // total\n',
    ['1 import', '2 call', '2 call'],
  ],
  cpp: [
    '// total\nint f() { auto s = "total"; return total(1) + a->total(2); }\n',
    ['2 call', '2 call'],
  ],
  ruby: ['# total\ns = "total #{total}"\na.total(1)\n', ['2 use', '3 call']],
  php: ['<?php\n// total\n$s = "total"; total(1); $a->total(2);\n', ['3 call', '3 call']],
  bash: ['# total\necho "total"\ntotal 1\n', ['3 call']],
  kotlin: ['// total\nfun f() { val s = "total"; total(1); a.total(2) }\n', ['2 call', '2 call']],
  scala: [
    '// total\nobject O { val s = "total"; def f = total(1) + a.total(2) }\n',
    ['2 call', '2 call'],
  ],
}

describe('names in code', () => {
  it.each(Object.entries(TEXTS))(
    'are told from text, and calls from other uses, in %s',
    async (grammar, [text, expected]) => {
      const found = await findNames(grammars, grammar, text, ['total'])
      expect(found?.map(({ line, usage }) => `${line} ${usage}`)).toEqual(expected)
    },
  )

  it('are whole names', async () => {
    const found = await findNames(grammars, 'typescript', 'subtotal(); totals(); $total\n', [
      'total',
    ])
    expect(found).toEqual([])
  })

  it('are found in the body of a macro, where nothing is parsed', async () => {
    const text =
      '#define SUM(n) (total(n) + \\\n  sizeof(total) /* total */ + subtotal)\n#define S "total"\n#define total 1\n'
    const found = await findNames(grammars, 'cpp', text, ['total'])
    expect(found?.map(({ line, usage }) => `${line} ${usage}`)).toEqual([
      '1 call',
      '2 use',
      '4 use',
    ])
  })

  it('are listed where they are called', async () => {
    const text = 'a.b.first(second(1))\nnew Third()\nfourth<T>(x)\n'
    const found = await findCalls(grammars, 'typescript', text)
    expect(found?.map(({ name }) => name).toSorted()).toEqual([
      'Third',
      'first',
      'fourth',
      'second',
    ])
  })

  it('cannot be found without the grammar', async () => {
    expect(await findNames(grammars, 'cobol', 'total', ['total'])).toBeUndefined()
  })
})
