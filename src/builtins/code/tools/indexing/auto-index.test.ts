import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SHOP, aCodeClient, aProject, resultsOf } from '../../../../../test/support/code-project.ts'

const MARKED = { ...SHOP, 'cocosearch.yaml': '' }
const FIRST = { file_path: 'src/cart.ts' }

describe('a search that indexes by itself', () => {
  it('answers, with progress, and several at once index one time', async () => {
    const client = aCodeClient(aProject(MARKED), { autoIndex: true })
    const messages: (string | undefined)[] = []
    const options = { progress: ({ message }: { message?: string }) => messages.push(message) }
    const asked = await Promise.all(
      [1, 2, 3].map(async () => client.list('search_code', { query: 'totalPrice' }, options)),
    )
    for (const answer of asked) expect(resultsOf(answer)[0]).toMatchObject(FIRST)
    expect(messages).toContain('Indexed 5 files')
    expect(await client.list('list_indexes')).toHaveLength(1)
  })

  it('says when it takes longer, and goes on', { timeout: 60_000 }, async () => {
    const client = aCodeClient(aProject(MARKED), { autoIndex: true, autoIndexBudgetMs: 0 })
    const [late] = await client.list('search_code', { query: 'totalPrice' })
    expect(late).toMatchObject({
      error: 'Indexing in progress',
      message: expect.stringContaining('Ask again'),
    })
    const first = async () =>
      resultsOf(await client.list('search_code', { query: 'totalPrice' }))[0]
    await expect.poll(first, { timeout: 30_000 }).toMatchObject(FIRST)
  })

  it('leaves a very large project to whoever asks for it', async () => {
    const root = aProject(MARKED)
    mkdirSync(join(root, 'many'))
    for (let n = 0; n <= 10_000; n++) writeFileSync(join(root, 'many', `${n}.ts`), '')
    const client = aCodeClient(root, { autoIndex: true })
    const [answer] = await client.list('search_code', { query: 'totalPrice' })
    expect(answer).toMatchObject({ error: 'Index not found' })
  })
})
