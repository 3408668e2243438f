import { testResultStore } from '../../../test/support/test-result-store.ts'
import { createMemoryStore } from './result-store.ts'

testResultStore('memory', {
  async open({ ttlMs }) {
    const store = createMemoryStore({ ttlMs, maxBytes: 1 << 24 })
    return [store, store]
  },
})
