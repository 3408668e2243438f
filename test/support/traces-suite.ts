import { afterAll, beforeAll } from 'vitest'
import type { StorageOptions } from '../../src/storage/open-storage.ts'
import { type ServiceOptions, type TracesUnderTest, aTracesService } from './a-traces-service.ts'
import type { TestAccount } from './traces-client.ts'

/** Returns the place of a new, empty database. */
export type Fresh = () => Promise<StorageOptions>

export interface TracesSuite {
  readonly service: TracesUnderTest
  readonly author: TestAccount
  readonly reader: TestAccount
}

/** One service with two accounts for all tests of a suite; available inside tests. */
export function tracesSuite(fresh?: Fresh, options: ServiceOptions = {}): TracesSuite {
  const undone: (() => void | Promise<void>)[] = []
  const made: { suite?: TracesSuite } = {}
  beforeAll(async () => {
    const service = await aTracesService({
      ...options,
      ...(fresh && { place: await fresh() }),
      later: (undo) => undone.push(undo),
    })
    made.suite = { service, author: await service.account(), reader: await service.account() }
  })
  afterAll(async () => {
    for (const undo of undone.toReversed()) await undo()
  })
  const suite = (): TracesSuite => {
    if (!made.suite) throw new Error('The suite has not begun: use this inside a test')
    return made.suite
  }
  return {
    get service() {
      return suite().service
    },
    get author() {
      return suite().author
    },
    get reader() {
      return suite().reader
    },
  }
}
