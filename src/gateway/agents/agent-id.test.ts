import { expect, it } from 'vitest'
import { isAgentId, isCredential, isUserName } from './agent-id.ts'

const GITHUB = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'

it.each(['a', 'Ada_1.x-y', 'x'.repeat(200), 'ptx_1', 'a-ptk_1'])('%s is an agent id', (text) => {
  expect(isAgentId(text)).toBe(true)
  expect(isUserName(text)).toBe(true)
})

it.each(['', 'x'.repeat(201), 'a b', 'a/b', 'a|b', '*', 'ü', 'a\n'])(
  '%j is neither an agent id nor the name of a person',
  (text) => {
    expect(isAgentId(text)).toBe(false)
    expect(isUserName(text)).toBe(false)
  },
)

it('a person may be called by an address of e-mail, and an agent may not', () => {
  expect(isUserName('ada+test@example.com')).toBe(true)
  expect(isAgentId('ada+test@example.com')).toBe(false)
})

it.each(['ptk_x', 'pth_x', 'pta_x', 'ptr_x', 'ptc_x', 'pts_x', GITHUB])(
  '%s is a credential, and nobody is called so',
  (text) => {
    expect(isCredential(text)).toBe(true)
    expect(isAgentId(text)).toBe(false)
    expect(isUserName(text)).toBe(false)
  },
)

it('an ordinary name is no credential', () => {
  for (const text of ['ada', 'a-rather-long-name-of-an-agent', 'ada@example.com'])
    expect(isCredential(text)).toBe(false)
})
