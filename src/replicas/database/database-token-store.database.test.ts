import { expect, it } from 'vitest'
import { openReplicas, openTestDatabase } from '../../../test/support/open-test-database.ts'
import { testTokenStore } from '../../../test/support/test-token-store.ts'
import { createSeal } from './seal.ts'

const URL = 'https://example.com/mcp'

testTokenStore('PostgreSQL', {
  async open() {
    const [one, two] = await openReplicas(2)
    if (!one || !two) throw new Error('Two replicas were asked for')
    return [one.tokens(URL), two.tokens(URL)]
  },
})

it('keeps secrets sealed where the replicas have a key for it', async () => {
  const database = await openTestDatabase({ PORTOLAN_SECRET_KEY: 'correct horse' })
  const { storage } = database
  await database
    .tokens(URL)
    .update({ tokens: { access_token: 'very-secret', token_type: 'Bearer' } })
  const rows = await storage.db.selectFrom('secrets').selectAll().execute()
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toContain('very-secret')
  for (const { value } of rows) expect(value).toMatch(/^sealed1:/)
})

it('says which key is missing instead of failing somewhere else', () => {
  const sealed = createSeal('one').close('text')
  expect(createSeal('one').open(sealed)).toBe('text')
  expect(() => createSeal('two').open(sealed)).toThrow(/PORTOLAN_SECRET_KEY is another one/)
  expect(() => createSeal(undefined).open(sealed)).toThrow(/PORTOLAN_SECRET_KEY is not set/)
})

it('gives every replica the same secret to sign handles with', async () => {
  const [one, two, three] = await openReplicas(3)
  expect(one?.handleSecret).toHaveLength(32)
  expect(two?.handleSecret).toEqual(one?.handleSecret)
  expect(three?.handleSecret).toEqual(one?.handleSecret)
})
