import { expect, it } from 'vitest'
import { compileAccess } from './access.ts'

it('caches what it decides, except about names that are longer than any', () => {
  const rules = { allow: { servers: ['crm'] } }
  const access = compileAccess({ agent: 'ada', path: 'agents.ada', rules })
  const long = 'x'.repeat(1000)
  expect(access.server('other')).toBe(access.server('other'))
  expect(access.tool('crm', 'list')).toBe(access.tool('crm', 'list'))
  expect(access.server(long)).not.toBe(access.server(long))
  expect(access.server(long)).toMatchObject({ effect: 'deny', reason: 'server_not_allowed' })
  const narrow = { allow: { servers: ['crm'], tools: { crm: ['list'] } } }
  const narrowed = compileAccess({ agent: 'ada', path: 'agents.ada', rules: narrow })
  expect(narrowed.tool('crm', 'other')).toBe(narrowed.tool('crm', 'other'))
  expect(narrowed.tool('crm', long)).not.toBe(narrowed.tool('crm', long))
})
