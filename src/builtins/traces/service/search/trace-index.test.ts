import { expect, it } from 'vitest'
import { aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { aTrace } from '../../../../../test/support/traces-client.ts'
import type { Storage } from '../../../../storage/storage.ts'
import { TraceIndex } from './trace-index.ts'

/** A storage that cannot be reached while `isDown`. */
function unreliable(storage: Storage): { readonly storage: Storage; isDown: boolean } {
  const state = {
    isDown: true,
    storage: {
      ...storage,
      get db() {
        if (state.isDown) throw new Error('the database cannot be reached')
        return storage.db
      },
    },
  }
  return state
}

it('searches again after the database was down while the saved index was loaded', async () => {
  const service = await aTracesService()
  const author = await service.account()
  await author.contribute(aTrace({ title: 'Connection pool runs out' }))
  const file = { path: tempFolder().file('traces.idx') }
  const before = new TraceIndex(service.storage, file)
  await before.sync()
  await before.close()

  const state = unreliable(service.storage)
  const index = new TraceIndex(state.storage, file)
  await expect(index.sync()).rejects.toThrow('the database cannot be reached')
  state.isDown = false
  await index.sync()
  expect(index.isReady).toBe(true)
  expect(index.search('connection pool', { tags: [], limit: 5 })).toHaveLength(1)
})
