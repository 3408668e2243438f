import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { putOAuthRecord } from '../../../storage/sign-in/oauth-records.ts'
import type { Account } from '../accounts/accounts.ts'
import { createSignInChanges } from '../sign-in-changes.ts'
import { DASHBOARD_SESSION } from './dashboard-sessions.ts'
import { createSessionList } from './session-list.ts'

const HOUR_MS = 3_600_000

it('a person with very many sessions hides nobody else’s, which can still be ended', async () => {
  const storage = await openStorage({ home: tempFolder().path })
  onTestFinished(async () => storage.close())
  const put = async (id: string, accountId: string, createdAt: number) =>
    putOAuthRecord(storage.db, {
      kind: DASHBOARD_SESSION,
      id,
      payload_json: JSON.stringify({ accountId, browser: '', createdAt }),
      grant_id: null,
      uid: null,
      expires_at: createdAt + HOUR_MS,
    })
  const now = Date.now()
  await put('of-ada', 'ada_1', now - 1_000)
  for (let n = 0; n < 1_001; n += 1) await put(`of-bob-${n}`, 'bob_1', now)
  const account: Account = { agent: 'x', source: 'user' }
  const sessions = createSessionList(storage, {
    accounts: { find: async () => account, save: async () => '' },
    changes: createSignInChanges(undefined),
  })
  const own = async () => (await sessions.list('ada_1')).map(({ id }) => id)
  expect(await own()).toEqual(['dashboard.of-ada'])
  expect(await sessions.end('dashboard.of-ada', 'bob_1'), 'it is not his').toBe(false)
  expect(await sessions.end('dashboard.unknown')).toBe(false)
  expect(await sessions.end('dashboard.of-ada', 'ada_1')).toBe(true)
  expect(await own()).toEqual([])
})
