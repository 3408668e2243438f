import { describe } from 'vitest'
import { testJobs } from '../../test/support/test-jobs.ts'
import { createLocalJobs } from './local-jobs.ts'

describe('the queue of one process', () => {
  testJobs(async (options) => createLocalJobs(options))
})
