import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { SHOP, aFolder, aProject, anIndexedShop } from '../../../../../test/support/code-project.ts'
import { IndexStore } from './index-store.ts'

const SUMMARY = { name: 'elsewhere', settings: { chunks: { size: 1_000 } } }

it('has only indexes in its own folder', () => {
  const home = aFolder()
  const store = new IndexStore(home)
  for (const folder of ['code/shop', 'elsewhere']) {
    mkdirSync(join(home, folder), { recursive: true })
    writeFileSync(join(home, folder, 'summary.json'), JSON.stringify(SUMMARY))
  }
  expect(store.summary('shop')).toMatchObject(SUMMARY)
  expect(store.summary('../elsewhere')).toBeUndefined()
})

it('does not index a folder because a file of a project says so', async () => {
  const secret = aProject({ 'secret.ts': 'export const topSecretValue = 1' })
  const { root, client } = await anIndexedShop()
  aProject({ ...SHOP, 'summary.json': JSON.stringify({ ...SUMMARY, root: secret }) }, root)
  const index_name = relative(join(client.home, 'code'), root)
  const answer = await client.list(
    'search_code',
    { query: 'topSecretValue', index_name },
    { isRemote: true },
  )
  expect(answer).toMatchObject([{ error: 'Index not found' }])
})
