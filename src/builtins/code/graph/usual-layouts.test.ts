import { expect, it } from 'vitest'
import { type Texts, targets } from '../../../../test/support/code-graph.ts'

const RUST = {
  'Cargo.toml': '[package]\nname = "m"\n',
  'src/lib.rs': 'mod shop;\n',
  'src/shop.rs': 'mod cart;\npub struct Price;\n',
  'src/shop/cart.rs':
    'use super::Price;\nuse super::super::Root;\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use super::line::Line;\n}\n',
  'src/shop/cart/line.rs': '',
  'src/shop/stock/mod.rs': 'use super::{cart, Price};\n',
}

const LAYOUTS: readonly (readonly [
  what: string,
  texts: Texts,
  from: string,
  expected: readonly string[],
])[] = [
  [
    'what Rust takes from the modules above, in the file and in its tests',
    RUST,
    'src/shop/cart.rs',
    ['outside', 'src/lib.rs', 'src/shop.rs', 'src/shop/cart/line.rs'],
  ],
  [
    'what a Rust module with a folder takes from the module above',
    RUST,
    'src/shop/stock/mod.rs',
    ['src/shop.rs', 'src/shop/cart.rs'],
  ],
  [
    'Python packages without __init__.py, and a list over several lines',
    {
      'app/main.py': 'from app.services import billing, \\\n  mail\nfrom .models import user\n',
      'app/services/billing.py': '',
      'app/services/mail.py': '',
      'app/models/user.py': '',
    },
    'app/main.py',
    ['app/models/user.py', 'app/services/billing.py', 'app/services/mail.py'],
  ],
  [
    'tsconfig paths of a project that the tsconfig refers to',
    {
      'tsconfig.json': `{"files":[],"references":[{"path":"./tsconfig.node.json"},{"path":"./tsconfig.app.json"}]}`,
      'tsconfig.node.json': '{}',
      'tsconfig.app.json': `{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}`,
      'src/a.ts': `import '@/lib/b'`,
      'src/lib/b.ts': '',
    },
    'src/a.ts',
    ['src/lib/b.ts'],
  ],
  [
    'the front matter and the scripts of an Astro page',
    {
      'a.astro': `---\nimport B from './b.astro'\n---\n<B />\n<script>\nimport './c'\n</script>\n`,
      'b.astro': '',
      'c.ts': '',
    },
    'a.astro',
    ['b.astro', 'c.ts'],
  ],
  [
    'Sass partials, folders and lists',
    {
      'styles/main.scss': `@use 'abstracts';\n@use "base/reset" as r;\n@import 'theme', 'plain';\n@use 'sass:math';\n`,
      'styles/abstracts/_index.scss': '',
      'styles/base/_reset.scss': '',
      'styles/_theme.scss': '',
      'styles/plain.scss': '',
    },
    'styles/main.scss',
    [
      'outside',
      'styles/_theme.scss',
      'styles/abstracts/_index.scss',
      'styles/base/_reset.scss',
      'styles/plain.scss',
    ],
  ],
  [
    'Kotlin functions outside of classes',
    {
      'src/a/A.kt': 'import b.format\nimport b.Other\n',
      'src/b/Texts.kt': 'fun format(x: Int) = 1\nclass Other\n',
      'src/b/More.kt': 'fun more() = 1\n',
    },
    'src/a/A.kt',
    ['src/b/Texts.kt', 'src/b/Texts.kt'],
  ],
]

it.each(LAYOUTS)('finds %s', (_, texts, from, expected) => {
  expect(targets(texts, from)).toEqual(expected)
})
