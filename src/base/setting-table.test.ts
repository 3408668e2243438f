import { delimiter } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type SettingTable, readSettings, toVariables, variableFor } from './setting-table.ts'

const TABLE = {
  folders: { type: 'folders', text: 'Folders.' },
  hosts: { type: 'list', default: ['one'], text: 'Hosts.' },
  perMinute: { type: 'integer', min: 1, max: 10, default: 5, text: 'A rate.' },
  share: { type: 'number', text: 'A share.' },
  isOpen: { type: 'boolean', default: false, text: 'A switch.' },
  url: { type: 'url', text: 'An address.' },
  key: { type: 'string', variable: 'THEIR_KEY', text: 'A key.' },
} as const satisfies SettingTable

const read = (env: Record<string, string>) => readSettings(TABLE, 'toy', env)

it('names a variable after the path of its key', () => {
  expect(variableFor(['toy', 'perMinute'])).toBe('PORTOLAN_TOY_PER_MINUTE')
  expect(variableFor(['listen', 'maxBodyBytes'])).toBe('PORTOLAN_LISTEN_MAX_BODY_BYTES')
})

it('reads what is set, and the defaults of what is not or is empty', () => {
  expect(read({ PORTOLAN_TOY_PER_MINUTE: '' })).toEqual({
    hosts: ['one'],
    perMinute: 5,
    isOpen: false,
  })
  expect(
    read({
      PORTOLAN_TOY_FOLDERS: ['/one', '/two,three'].join(delimiter),
      PORTOLAN_TOY_HOSTS: 'a, b',
      PORTOLAN_TOY_PER_MINUTE: '10',
      PORTOLAN_TOY_SHARE: '0.5',
      PORTOLAN_TOY_IS_OPEN: 'yes',
      PORTOLAN_TOY_URL: 'https://example.com',
      THEIR_KEY: 'secret',
      PORTOLAN_TOY_KEY: 'not its variable',
    }),
  ).toEqual({
    folders: ['/one', '/two,three'],
    hosts: ['a', 'b'],
    perMinute: 10,
    share: 0.5,
    isOpen: true,
    url: 'https://example.com',
    key: 'secret',
  })
})

describe('names the variable whose value does not fit', () => {
  it.each([
    ['PORTOLAN_TOY_PER_MINUTE', '0', 'a whole number of at least 1'],
    ['PORTOLAN_TOY_PER_MINUTE', '11', 'a whole number of at most 10'],
    ['PORTOLAN_TOY_PER_MINUTE', '1.5', 'a whole number'],
    ['PORTOLAN_TOY_SHARE', 'half', 'a number'],
    ['PORTOLAN_TOY_IS_OPEN', 'perhaps', 'true or false'],
    ['PORTOLAN_TOY_URL', 'file:///etc/passwd', 'an address'],
  ])('%s=%s', (variable, value, expected) => {
    expect(() => read({ [variable]: value })).toThrow(`${variable}: expected ${expected}`)
  })
})

it('writes values as the variables that it reads', () => {
  const values = { folders: ['/one', '/two'], hosts: [], perMinute: 7, isOpen: true, key: 'secret' }
  expect(read(toVariables(TABLE, 'toy', values))).toEqual({ ...values, hosts: ['one'] })
})
