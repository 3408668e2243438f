import { expect, it } from 'vitest'
import { aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { aTrace } from '../../../../../test/support/traces-client.ts'
import { unreliableStorage } from '../../../../../test/support/unreliable-storage.ts'
import { TraceIndex } from './trace-index.ts'

it('searches again after the database was down while the saved index was loaded', async () => {
  const service = await aTracesService()
  const author = await service.account()
  await author.contribute(aTrace({ title: 'Connection pool runs out' }))
  const file = { path: tempFolder().file('traces.idx') }
  const before = new TraceIndex(service.storage, file)
  await before.sync()
  await before.close()

  const unreliable = unreliableStorage(service.storage)
  const index = new TraceIndex(unreliable.storage, file)
  unreliable.answer(0)
  await expect(index.sync()).rejects.toThrow('the database cannot be reached')
  unreliable.answer(Infinity)
  await index.sync()
  expect(index.isReady).toBe(true)
  expect(index.search('connection pool', { tags: [], limit: 5 })).toHaveLength(1)
})
