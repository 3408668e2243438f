import { expect, it } from 'vitest'
import { asWritten, fromCocoSearch } from './cocosearch-names.ts'

it('reads the variables of CocoSearch, and ours before them', () => {
  const env = {
    COCOSEARCH_SERVER_URL: 'http://theirs',
    COCOSEARCH_LOG_FILE: 'theirs',
    PORTOLAN_CODE_LOG_FILE: '',
    COCOSEARCH_PROJECT: '/shop',
    PATH: '/bin',
  }
  expect(fromCocoSearch(env)).toEqual({
    PORTOLAN_CODE_SERVER_URL: 'http://theirs',
    PORTOLAN_PROJECT: '/shop',
  })
  expect(asWritten('PORTOLAN_CODE_SERVER_URL', env)).toBe('COCOSEARCH_SERVER_URL')
  expect(asWritten('PORTOLAN_CODE_IDLE_TIMEOUT', env)).toBe('PORTOLAN_CODE_IDLE_TIMEOUT')
})
