import { expect, it } from 'vitest'
import { isReadAtStart } from './read-at-start.ts'
import { leaves } from './schema-tree.ts'
import { settingsSchema } from './settings.ts'

it('is about settings that exist', () => {
  const paths = leaves(settingsSchema).map(({ path }) => path.join('.'))
  expect(paths.filter(isReadAtStart)).toEqual(
    expect.arrayContaining(['home', 'listen.port', 'cache.staleMs', 'watchdog.blockedMs']),
  )
  expect(paths.filter((path) => path.startsWith('limits.')).some(isReadAtStart)).toBe(false)
})
