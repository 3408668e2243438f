import { expect, it } from 'vitest'
import { aFolder } from '../../../test/support/code-project.ts'
import { createCodeDeps } from './create-code-deps.ts'

const isIndexing = (env: NodeJS.ProcessEnv, autoIndex?: boolean) =>
  createCodeDeps({ home: aFolder(), background: false, env, autoIndex }).autoIndex

it('indexes by itself as the setting says, and without one as the server is offered', () => {
  const OFF = { PORTOLAN_CODE_AUTO_INDEX: 'false' }
  const ON = { PORTOLAN_CODE_AUTO_INDEX: 'true' }
  expect(isIndexing({}, true)).toBe(true)
  expect(isIndexing({})).toBe(false)
  expect(isIndexing(OFF, true)).toBe(false)
  expect(isIndexing(ON)).toBe(true)
})
