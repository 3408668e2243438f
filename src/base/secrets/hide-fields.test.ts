import { expect, it } from 'vitest'
import { hideFields } from './hide-fields.ts'

it('hides what the name of a field or its look tells, at any depth', () => {
  const key = 'ghp_0123456789abcdefABCDEF'
  expect(
    hideFields({
      password: 'hunter22',
      list: [{ apiKeys: 'k', api_key: 'k-1' }],
      auth: { value: 'k-2' },
      note: key,
      n: 7,
    }),
  ).toEqual({
    password: '[redacted]',
    list: [{ apiKeys: '[redacted]', api_key: '[redacted]' }],
    auth: { value: '[redacted]' },
    note: '[redacted]',
    n: 7,
  })
})

it('shows variables, paths and addresses, but neither a default nor a password in them', () => {
  const shown = { token: '${TOKEN}', auth: 'Bearer ${user.KEY}', tokenUrl: 'https://a.example/t' }
  expect(hideFields(shown)).toEqual(shown)
  expect(hideFields({ token: '${TOKEN:-hunter22}', tokenUrl: 'https://me:pw@a.example' })).toEqual({
    token: '[redacted]',
    tokenUrl: 'https://[redacted]@a.example',
  })
})
