import { expect, it, onTestFinished, vi } from 'vitest'
import { deferred } from '../../../../test/support/deferred.ts'
import { hashEmbedder } from '../../../../test/support/hash-embedder.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { aTrace, tracesClient } from '../../../../test/support/traces-client.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { openCommunity } from './open-community.ts'

it('embeds new traces in turn, however long the embedder takes', async () => {
  const storage = await openStorage({ home: tempFolder().path })
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const hash = hashEmbedder()
  let asked = 0
  const slow = deferred<void>()
  const traces = openCommunity({
    storage,
    background: true,
    embedder: {
      ...hash,
      async embed(texts, purpose) {
        asked += 1
        await slow.promise
        return hash.embed(texts, purpose)
      },
    },
  })
  const look = intervals.mock.calls.find(([, ms]) => ms === 5000)?.[0]
  intervals.mockRestore()
  onTestFinished(async () => {
    await traces.close()
    await storage.close()
  })
  const author = await tracesClient(traces.fetch).register()
  await author.contribute(aTrace())
  look?.()
  await expect.poll(() => asked).toBe(1)
  look?.()
  // A second round would have asked by the time this query is answered.
  await traces.deps.index.sync()
  expect(asked).toBe(1)
  slow.resolve()
})
