import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { issuerOf } from '../open-embedded.ts'
import { localKey } from './local-account.ts'

it('gives each data folder an account and a name of its own, once', async () => {
  const traces = await aTracesService()
  const [one, two] = [tempFolder().path, tempFolder().path]
  const key = await localKey(issuerOf(traces.deps), one, 'db')
  expect(await localKey(issuerOf(traces.deps), one, 'db')).toBe(key)
  await localKey(issuerOf(traces.deps), two, 'db')
  const rows = await traces.storage.db.selectFrom('accounts').select('display_name').execute()
  expect(new Set(rows.map(({ display_name }) => display_name)).size).toBe(2)
})

it('agrees on one account when several processes start together', async () => {
  const traces = await aTracesService()
  const home = tempFolder().path
  const keys = await Promise.all(
    Array.from({ length: 5 }, async () => localKey(issuerOf(traces.deps), home, 'db')),
  )
  expect(new Set(keys).size).toBe(1)
})

it('makes a new account when the database has been replaced', async () => {
  const home = tempFolder().path
  const [before, after] = [await aTracesService(), await aTracesService()]
  const old = await localKey(issuerOf(before.deps), home, 'db')
  const key = await localKey(issuerOf(after.deps), home, 'db')
  expect(key).not.toBe(old)
  expect((await after.request('GET', '/api/v1/keys/verify', { key })).status).toBe(200)
})

it.each(['', '{"api_key": "ct_', '{"key": "of another format"}'])(
  'replaces a damaged file (%j), so that the next start uses the same account',
  async (damaged) => {
    const traces = await aTracesService()
    const folder = tempFolder()
    folder.write('accounts/db.json', damaged)
    const key = await localKey(issuerOf(traces.deps), folder.path, 'db')
    expect(await localKey(issuerOf(traces.deps), folder.path, 'db')).toBe(key)
    expect(readdirSync(folder.file('accounts'))).toEqual(['db.json'])
  },
)
