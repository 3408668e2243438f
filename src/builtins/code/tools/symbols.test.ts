import { expect, it } from 'vitest'
import { aCodeClient, aProject, anIndexedShop } from '../../../../test/support/code-project.ts'

async function definitionsOf(files: Readonly<Record<string, string>>, name: string, limit = 50) {
  const client = aCodeClient(aProject(files))
  await client.call('index_codebase', { path: '.' })
  const { symbols } = await client.object('find_symbol', { name, limit })
  return Array.isArray(symbols) ? symbols.map((each) => String(each.qualified_name)) : []
}

it('puts names that are written as asked before those that differ in case', async () => {
  const files = {
    'a.rb': 'SITE = 1\n\ndef site\n  1\nend\n',
    'b.rb': 'module Shop\n  class Site\n  end\nend\n',
  }
  expect(await definitionsOf(files, 'Site', 2)).toEqual(['Shop.Site', 'SITE'])
})

it.each(['Site.render', 'Site::render', 'Site#render', 'Shop.Site.render', 'Shop::Site.ren*'])(
  'finds %s inside a module',
  async (name) => {
    const files = {
      'a.rb':
        'module Shop\n  class Site\n    def render\n      1\n    end\n  end\n  class OnSite\n    def render\n    end\n  end\nend\n',
    }
    expect(await definitionsOf(files, name)).toEqual(['Shop.Site.render'])
  },
)

it.each(['class,method', 'class, method', ['class', 'method']])(
  'finds symbols of the types %j',
  async (symbol_type) => {
    const { client } = await anIndexedShop()
    expect(await client.object('find_symbol', { name: '*', symbol_type })).toMatchObject({
      total: 2,
      symbols: [{ name: 'ShoppingCart' }, { name: 'totalPrice' }],
    })
  },
)

it('says which types there are when it is asked for another', async () => {
  const { client } = await anIndexedShop()
  expect(await client.object('find_symbol', { name: 'price', symbol_type: 'func' })).toMatchObject({
    error: 'Symbol filter error',
    message: expect.stringContaining('function, class, method'),
  })
})
