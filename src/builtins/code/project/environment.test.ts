import { expect, it } from 'vitest'
import { unusedVariables } from './environment.ts'

it('tells what is set and does nothing', () => {
  const env = {
    COCOSEARCH_DATABASE_URL: 'postgresql://localhost/x',
    COCOSEARCH_SERVER_ULR: 'http://localhost:3000',
    COCOSEARCH_ZZZZZZZZZ: '1',
    COCOSEARCH_INDEXING_CHUNK_SIZE: '1000',
    COCOSEARCH_LOG_FILE: '',
    PATH: '/bin',
  }
  expect(unusedVariables(env, '/data/code')).toEqual([
    'COCOSEARCH_DATABASE_URL has no use here: indexes are files in /data/code, and no database is needed',
    'COCOSEARCH_SERVER_ULR is not known. Did you mean COCOSEARCH_SERVER_URL?',
    'COCOSEARCH_ZZZZZZZZZ is not known',
  ])
})
