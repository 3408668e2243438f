import { openReplicas } from '../../../test/support/open-test-database.ts'
import { testKeyStore } from '../../../test/support/test-key-store.ts'

testKeyStore('PostgreSQL', {
  async open() {
    const [one, two] = await openReplicas(2)
    if (!one || !two) throw new Error('Two replicas were asked for')
    return [one.keys(60_000), two.keys(60_000)]
  },
})
