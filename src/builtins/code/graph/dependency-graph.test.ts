import { describe, expect, it } from 'vitest'
import { type Texts, graphOf, targets } from '../../../../test/support/code-graph.ts'
import { walkGraph } from './walk-graph.ts'

const CASES: readonly (readonly [
  what: string,
  texts: Texts,
  from: string,
  expected: readonly string[],
])[] = [
  [
    'an ESM import of .js that is a .ts',
    { 'a.ts': `import './b.js'`, 'b.ts': '' },
    'a.ts',
    ['b.ts'],
  ],
  [
    'a folder with an index',
    { 'a.ts': `import './b'`, 'b/index.tsx': '' },
    'a.ts',
    ['b/index.tsx'],
  ],
  [
    'tsconfig paths through extends, with comments',
    {
      'base.json': `{ /* base */ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"], }, } }`,
      'tsconfig.json': `{ "extends": "./base.json" } // end`,
      'src/a.ts': `import '@/lib/b'`,
      'src/lib/b.ts': '',
    },
    'src/a.ts',
    ['src/lib/b.ts'],
  ],
  [
    'tsconfig paths of the first of two files that it extends',
    {
      'paths.json': `{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }`,
      'strict.json': `{ "compilerOptions": { "strict": true } }`,
      'tsconfig.json': `{ "extends": ["./paths.json", "./strict.json"] }`,
      'src/a.ts': `import '@/lib/b'`,
      'src/lib/b.ts': '',
    },
    'src/a.ts',
    ['src/lib/b.ts'],
  ],
  [
    'a workspace package by its exports, before anything is built',
    {
      'packages/lib/package.json': `{"name":"@x/lib","exports":{".":{"import":"./dist/index.js"},"./sub/*":"./dist/sub/*.js"}}`,
      'packages/lib/src/index.ts': '',
      'packages/lib/src/sub/one.ts': '',
      'packages/app/a.ts': `import '@x/lib'; import '@x/lib/sub/one'; import 'react'`,
    },
    'packages/app/a.ts',
    ['packages/lib/src/index.ts', 'packages/lib/src/sub/one.ts', 'outside'].toSorted(),
  ],
  [
    'Objective-C',
    {
      'app/a.m': '#import "b.h"\n',
      'app/b.h': '#import "c.h"\n@interface B\n@end\n',
      'app/c.h': '',
    },
    'app/a.m',
    ['app/b.h'],
  ],
  [
    'a header of Objective-C',
    { 'app/b.h': '#import "c.h"\n@interface B\n@end\n', 'app/c.h': '' },
    'app/b.h',
    ['app/c.h'],
  ],
  [
    'package imports',
    { 'package.json': `{"imports":{"#u":"./u.ts"}}`, 'a.ts': `import '#u'`, 'u.ts': '' },
    'a.ts',
    ['u.ts'],
  ],
  [
    'a Vue component',
    { 'a.vue': `<script setup>\nimport b from './b'\n</script>`, 'b.ts': '' },
    'a.vue',
    ['b.ts'],
  ],
  [
    'Python, absolute, relative and by name',
    {
      'src/pkg/__init__.py': '',
      'src/pkg/a.py':
        'from . import b, c\nfrom .sub.d import (x,\n  y)\nimport pkg.e as e\nimport os\n"""\nimport pkg.no\n"""',
      'src/pkg/b.py': '',
      'src/pkg/c.py': '',
      'src/pkg/sub/d.py': '',
      'src/pkg/e.py': '',
      'src/pkg/no.py': '',
    },
    'src/pkg/a.py',
    ['src/pkg/b.py', 'src/pkg/c.py', 'src/pkg/e.py', 'src/pkg/sub/d.py', 'outside'].toSorted(),
  ],
  [
    'Go packages of the module',
    {
      'go.mod': 'module example.com/m\n',
      'main.go': 'package main\nimport (\n\t"fmt"\n\tx "example.com/m/in/pkg"\n)\n',
      'in/pkg/a.go': '',
      'in/pkg/a_test.go': '',
    },
    'main.go',
    ['in/pkg/a.go', 'outside'].toSorted(),
  ],
  [
    'Rust modules and uses',
    {
      'Cargo.toml': '[package]\nname = "m"\n',
      'src/lib.rs': 'mod a;\nuse crate::a::{b::Thing, other};\nuse std::fmt;\n',
      'src/a/mod.rs': 'pub mod b;',
      'src/a/b.rs': 'use super::x;\n',
    },
    'src/lib.rs',
    ['src/a/b.rs', 'src/a/mod.rs', 'src/a/mod.rs', 'outside'].toSorted(),
  ],
  [
    'Java classes and static members',
    {
      'src/main/java/a/A.java': 'import b.B;\nimport static b.C.run;\nimport java.util.List;\n',
      'src/main/java/b/B.java': '',
      'src/main/java/b/C.java': '',
    },
    'src/main/java/a/A.java',
    ['src/main/java/b/B.java', 'src/main/java/b/C.java', 'outside'].toSorted(),
  ],
  [
    'Scala groups, also of names with "as" in them',
    {
      'src/a/A.scala': 'import b.{Basket, HashMap => Map, Task as Job}\n',
      'src/b/Basket.scala': '',
      'src/b/HashMap.scala': '',
      'src/b/Task.scala': '',
    },
    'src/a/A.scala',
    ['src/b/Basket.scala', 'src/b/HashMap.scala', 'src/b/Task.scala'],
  ],
  [
    'Go imports beside comments',
    {
      'go.mod': 'module m\n',
      'main.go':
        'package main\nimport (\n\t"m/a" // of (a)\n\t// "m/old"\n\t/* "m/older" */\n\t"m/b"\n)\n',
      'a/a.go': '',
      'b/b.go': '',
      'old/old.go': '',
      'older/older.go': '',
    },
    'main.go',
    ['a/a.go', 'b/b.go'],
  ],
  [
    'C includes, quoted and from include/',
    {
      'src/a.c': '#include "b.h"\n#include <lib/c.h>\n#include <stdio.h>\n',
      'src/b.h': '',
      'include/lib/c.h': '',
    },
    'src/a.c',
    ['include/lib/c.h', 'src/b.h', 'outside'].toSorted(),
  ],
  [
    'Ruby requires',
    {
      'lib/a.rb': "require_relative 'a/b'\nrequire 'a/c'\nrequire 'json'\n",
      'lib/a/b.rb': '',
      'lib/a/c.rb': '',
    },
    'lib/a.rb',
    ['lib/a/b.rb', 'lib/a/c.rb', 'outside'].toSorted(),
  ],
  [
    'PHP by the autoloader of composer',
    {
      'composer.json': '{"autoload":{"psr-4":{"App\\\\":"src/"}}}',
      'src/A.php': '<?php\nuse App\\Sub\\B;\nuse App\\Sub\\{C, D as E};\n',
      'src/Sub/B.php': '',
      'src/Sub/C.php': '',
      'src/Sub/D.php': '',
    },
    'src/A.php',
    ['src/Sub/B.php', 'src/Sub/C.php', 'src/Sub/D.php'],
  ],
  [
    'Terraform modules',
    { 'main.tf': 'module "a" {\n  source = "./mod"\n}\n', 'mod/x.tf': '' },
    'main.tf',
    ['mod/x.tf'],
  ],
  [
    'links of documents',
    { 'docs/a.md': 'See [b](../src/b.ts#L1), `src/b.ts` and [web](https://x.y).', 'src/b.ts': '' },
    'docs/a.md',
    ['src/b.ts', 'src/b.ts'],
  ],
  [
    'local actions of workflows',
    {
      '.github/workflows/ci.yml':
        'on: push\njobs:\n  a:\n    steps:\n      - uses: ./.github/actions/x/action.yml\n',
      '.github/actions/x/action.yml': '',
    },
    '.github/workflows/ci.yml',
    ['.github/actions/x/action.yml', 'outside'],
  ],
  [
    'C# namespaces, static imports and aliases',
    {
      'src/App.cs':
        'global using Shop.Orders;\nusing static Shop.Tools.Clock;\nusing P = Shop.Prices.Price;\nusing System;\n',
      'a/Order.cs': 'namespace Shop.Orders;\npublic class Order {}\n',
      'a/Line.cs': 'namespace Shop.Orders\n{\n  class Line {}\n}\n',
      'b/Clock.cs': 'namespace Shop.Tools;\nstatic class Clock {}\n',
      'b/Other.cs': 'namespace Shop.Tools;\nclass Other {}\n',
      'c/Price.cs': 'namespace Shop.Prices;\nclass Price {}\n',
    },
    'src/App.cs',
    ['a/Line.cs', 'a/Order.cs', 'b/Clock.cs', 'c/Price.cs', 'outside'],
  ],
  [
    'Elixir modules, one by one and several at once',
    {
      'lib/app.ex':
        'defmodule App do\n  alias App.{Cart, Price}\n  use App.Web, :view\n  require Logger\nend\n',
      'lib/app/shopping_cart.ex': 'defmodule App.Cart do\nend\n',
      'lib/app/price.ex': 'defmodule App.Price do\nend\n',
      'lib/web.ex': 'defmodule App.Web do\nend\n',
    },
    'lib/app.ex',
    ['lib/app/price.ex', 'lib/app/shopping_cart.ex', 'lib/web.ex', 'outside'],
  ],
  [
    'Go modules below the root',
    {
      'services/api/go.mod': 'module example.com/api\n',
      'services/api/main.go': 'package main\nimport "example.com/api/store"\n',
      'services/api/store/store.go': 'package store\n',
    },
    'services/api/main.go',
    ['services/api/store/store.go'],
  ],
]

describe('the dependency graph', () => {
  it.each(CASES)('resolves %s', (_, texts, from, expected) => {
    expect(targets(texts, from)).toEqual(expected)
  })

  const chain = {
    'a.ts': `import './b.ts'`,
    'b.ts': `import './c.ts'; import './a.ts'`,
    'c.ts': `import 'zod'`,
  }

  it('walks in both directions, through loops, to the depth asked for', async () => {
    const graph = graphOf(chain)
    const [down, up] = [
      (file: string) => graph.dependencies(file),
      (file: string) => graph.dependents(file),
    ]
    const tree = await walkGraph(down, 'a.ts', { direction: 'dependencies', depth: 20 })
    expect(JSON.stringify(tree)).toContain('"file":"zod"')
    const impact = await walkGraph(up, 'c.ts', { direction: 'dependents', depth: 1 })
    expect(impact.children.map(({ file }) => file)).toEqual(['b.ts'])
  })

  it('tells a file twice but opens it once in a batch', async () => {
    const visited = new Set<string>()
    const graph = graphOf(chain)
    const how = { direction: 'dependencies', depth: 5, visited } as const
    const down = (file: string) => graph.dependencies(file)
    await walkGraph(down, 'a.ts', how)
    const second = await walkGraph(down, 'b.ts', how)
    expect(second.children.find(({ file }) => file === 'c.ts')?.children).toEqual([])
  })

  it('ranks what most files import highest', () => {
    const central = graphOf({
      'a.ts': `import './c.ts'`,
      'b.ts': `import './c.ts'; import './a.ts'`,
      'c.ts': '',
    }).centrality()
    expect(central('c.ts')).toBe(1)
    expect(central('a.ts')).toBeLessThan(1)
    expect(central('b.ts')).toBe(0)
  })
})
