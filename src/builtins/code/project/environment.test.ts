import { expect, it } from 'vitest'
import { unusedVariables } from './environment.ts'

it('tells what is set and does nothing', () => {
  const env = {
    PORTOLAN_CODE_DATABASE_URL: 'postgresql://localhost/x',
    COCOSEARCH_DATABASE_URL: 'postgresql://localhost/x',
    PORTOLAN_CODE_SERVER_ULR: 'http://localhost:3000',
    PORTOLAN_CODE_ZZZZZZZZZ: '1',
    PORTOLAN_CODE_INDEXING_CHUNK_SIZE: '1000',
    PORTOLAN_CODE_LOG_FILE: '',
    PATH: '/bin',
  }
  expect(unusedVariables(env, '/data/code')).toEqual([
    'COCOSEARCH_DATABASE_URL has no use here: indexes are files in /data/code, and no database is needed',
    'PORTOLAN_CODE_SERVER_ULR is not known. Did you mean PORTOLAN_CODE_SERVER_URL?',
    'PORTOLAN_CODE_ZZZZZZZZZ is not known',
  ])
})
