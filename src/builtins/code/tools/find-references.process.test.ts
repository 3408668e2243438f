import { afterEach, describe, expect, it } from 'vitest'
import { type CodeClient, aCodeClient, aProject } from '../../../../test/support/code-project.ts'

const FILES = {
  'src/price.ts':
    '/** price of things */\nexport function price(item: string): number {\n  return item.length\n}\n',
  'src/cart.ts': `import { price } from './price.js'\n\nexport class Cart {\n  // the price\n  total(): number {\n    return price('price')\n  }\n}\n`,
  'src/index.ts': `export { price } from './price.js'\nexport * from './cart.js'\n`,
  'src/shop.ts': `import { price, Cart } from './index.js'\nexport const open = () => new Cart().total() + price('a')\n`,
  'src/stranger.ts': 'const price = (x: number) => x\nexport const y = price(1)\n',
  'other/tool.py': 'def price():\n    pass\n\nprice()\n',
  'other/loose.rb': 'puts price\n',
  'other/notes.md': '# The price\n',
  'other/app.ex': 'defmodule App do\n  def go, do: price(1)\nend\n',
}

const clients: CodeClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function references(args: Record<string, unknown>): Promise<string[]> {
  const client = aCodeClient(aProject(FILES))
  clients.push(client)
  await client.call('index_codebase', { path: '.' })
  const { references: found } = await client.object('find_references', args)
  return (Array.isArray(found) ? found : []).map(
    ({ file_path: file, line, kind, certainty }) => `${file}:${line} ${kind} ${certainty}`,
  )
}

describe('references to a name', () => {
  it('are found by Class::method and Class#method as by Class.method', async () => {
    const byDot = await references({ name: 'Cart.total' })
    expect(byDot).toHaveLength(2)
    expect(await references({ name: 'Cart::total' })).toEqual(byDot)
    expect(await references({ name: 'Cart#total' })).toEqual(byDot)
  })

  it.each(['price.', 'Cart::', '.'])(
    'are none for %s, which ends before the name',
    async (name) => {
      expect(await references({ name, include_text: true })).toEqual([])
    },
  )

  it('are told by syntax and by imports, with how sure that is', async () => {
    expect(await references({ name: 'price' })).toEqual([
      'other/tool.py:1 definition certain',
      'other/tool.py:4 call certain',
      'src/cart.ts:1 import certain',
      'src/cart.ts:6 call certain',
      'src/index.ts:1 import certain',
      'src/price.ts:2 definition certain',
      'src/shop.ts:1 import certain',
      'src/shop.ts:2 call certain',
      'src/stranger.ts:1 definition certain',
      'src/stranger.ts:2 call certain',
      'other/app.ex:2 text possible',
      'other/loose.rb:1 use possible',
    ])
  })

  it('are those of one definition where its file is given', async () => {
    expect(await references({ name: 'price', file: 'src/price.ts' })).toEqual([
      'src/cart.ts:1 import certain',
      'src/cart.ts:6 call certain',
      'src/index.ts:1 import certain',
      'src/price.ts:2 definition certain',
      'src/shop.ts:1 import certain',
      'src/shop.ts:2 call certain',
    ])
  })

  it('are likely where a file imports the one whose method it calls', async () => {
    const files = {
      ...FILES,
      'src/direct.ts': `import { Cart } from './cart.js'\nnew Cart().total()\n`,
    }
    const client = aCodeClient(aProject(files))
    clients.push(client)
    await client.call('index_codebase', { path: '.' })
    const { references: found } = await client.object('find_references', { name: 'Cart.total' })
    expect(found).toMatchObject([
      { file_path: 'src/cart.ts', line: 5, in: 'Cart.total', is_definition: true },
      {
        file_path: 'src/direct.ts',
        kind: 'call',
        certainty: 'likely',
        defined_in: ['src/cart.ts'],
      },
      { file_path: 'src/shop.ts', kind: 'call', certainty: 'possible', defined_in: [] },
    ])
  })

  it('include mentions in comments, strings and documents when asked', async () => {
    const found = await references({ name: 'price', include_text: true })
    expect(found).toEqual(
      expect.arrayContaining([
        'other/notes.md:1 text possible',
        'src/cart.ts:4 text possible',
        'src/price.ts:1 text possible',
      ]),
    )
  })

  it.each<[string, Record<string, string>, string[], string?]>([
    [
      'TypeScript, through a file that passes it on',
      {
        'price.ts': 'export function price() {}\n',
        'index.ts': `export { price as cost } from './price.js'\n`,
        'shop.ts': `import { cost as fee } from './index.js'\nfee()\nlet price = 1\n`,
      },
      [
        'index.ts:1 import certain',
        'price.ts:1 definition certain',
        'shop.ts:1 import certain (fee)',
        'shop.ts:2 call certain (fee)',
        'shop.ts:3 use possible',
      ],
    ],
    [
      'CommonJS',
      {
        'price.js': 'exports.price = function price() {}\n',
        'shop.js': `const { price: cost } = require('./price')\ncost()\n`,
      },
      [
        'price.js:1 definition certain',
        'shop.js:1 import certain',
        'shop.js:2 call certain (cost)',
      ],
    ],
    [
      'Python',
      {
        'price.py': 'def price():\n    pass\n',
        'shop.py': 'from price import price as cost\n\ncost()\n',
        'other.py': 'from elsewhere import total as price\n\nprice()\n',
      },
      [
        'price.py:1 definition certain',
        'shop.py:1 import certain',
        'shop.py:3 call certain (cost)',
        'other.py:1 import possible',
      ],
    ],
    [
      'Rust',
      {
        'Cargo.toml': '[package]\nname = "m"\n',
        'src/lib.rs': 'mod prices;\nuse crate::prices::price as cost;\nfn f() { cost(); }\n',
        'src/prices.rs': 'pub fn price() {}\n',
      },
      [
        'src/lib.rs:2 import certain',
        'src/lib.rs:3 call certain (cost)',
        'src/prices.rs:1 definition certain',
      ],
    ],
    [
      'PHP',
      {
        'composer.json': '{"autoload":{"psr-4":{"App\\\\":"src/"}}}',
        'src/Price.php': '<?php\nnamespace App;\nclass Price {}\n',
        'src/Shop.php': '<?php\nuse App\\Price as Cost;\n$a = new Cost();\n',
      },
      [
        'src/Price.php:3 definition certain',
        'src/Shop.php:2 import certain',
        'src/Shop.php:3 call certain (Cost)',
      ],
      'Price',
    ],
    [
      'Kotlin',
      {
        'a/Price.kt': 'package a\nclass Price\n',
        'b/Shop.kt': 'package b\nimport a.Price as Cost\nval x = Cost()\n',
      },
      [
        'a/Price.kt:2 definition certain',
        'b/Shop.kt:2 import certain',
        'b/Shop.kt:3 call certain (Cost)',
      ],
      'Price',
    ],
    [
      'C#',
      {
        'Price.cs': 'namespace A;\npublic class Price {}\n',
        'Shop.cs': 'using Cost = A.Price;\nclass Shop { object x = new Cost(); }\n',
      },
      [
        'Price.cs:2 definition certain',
        'Shop.cs:1 import certain',
        'Shop.cs:2 call certain (Cost)',
      ],
      'Price',
    ],
  ])('follow a renamed import: %s', async (_, files, expected, name = 'price') => {
    const client = aCodeClient(aProject(files))
    clients.push(client)
    await client.call('index_codebase', { path: '.' })
    const { references: found } = await client.object('find_references', { name })
    expect(
      (Array.isArray(found) ? found : []).map(
        ({ file_path: file, line, kind, certainty, as }) =>
          `${file}:${line} ${kind} ${certainty}${as === undefined ? '' : ` (${as})`}`,
      ),
    ).toEqual(expected)
  })

  it('that are none say what else to try', async () => {
    const client = aCodeClient(aProject(FILES))
    clients.push(client)
    await client.call('index_codebase', { path: '.' })
    expect(await client.object('find_references', { name: 'nothing' })).toMatchObject({
      references: [],
      total: 0,
      is_complete: true,
      hint: expect.stringContaining('include_text=true'),
    })
  })
})

describe('edges of calls', () => {
  it('tell what a file really calls in those it imports, and who calls it', async () => {
    const renamed = `import { y as call } from './stranger.js'\ncall()\n`
    const client = aCodeClient(aProject({ ...FILES, 'src/renamed.ts': renamed }))
    clients.push(client)
    await client.call('index_codebase', { path: '.' })
    const calls = { dep_type: 'call' }
    expect(
      await client.object('get_file_dependencies', { file: 'src/cart.ts', ...calls }),
    ).toMatchObject({
      dependencies: [{ target_file: 'src/price.ts', target_symbol: 'price', dep_type: 'call' }],
      total: 1,
    })
    expect(
      await client.object('get_file_dependencies', { file: 'src/renamed.ts', ...calls }),
    ).toMatchObject({ dependencies: [{ target_file: 'src/stranger.ts', target_symbol: 'y' }] })
    expect(
      await client.object('get_file_impact', { file: 'src/price.ts', ...calls }),
    ).toMatchObject({
      impact_tree: { children: [{ file: 'src/cart.ts', symbol: 'price', dep_type: 'call' }] },
    })
  })
})
