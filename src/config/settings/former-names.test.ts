import { expect, it } from 'vitest'
import { formerNames, notesOnVariables } from './former-names.ts'

it.each([
  ['DATABASE_URL', 'postgres://db/x', 'mysql://db/x', 'PORTOLAN_DATABASE_URL'],
  ['DATABASE_URL', 'postgresql://db/x', 'x postgres://', 'PORTOLAN_DATABASE_URL'],
  ['REDIS_URL', 'redis://r', 'http://r', 'PORTOLAN_REDIS_URL'],
  ['REDIS_URL', 'rediss://r', 'x rediss://r', 'PORTOLAN_REDIS_URL'],
  ['API_BASE_URL', 'http://t', 'x http://t', 'PORTOLAN_TRACES_URL'],
  ['API_KEY_PEPPER', 'p', '', 'PORTOLAN_TRACES_API_KEY_PEPPER'],
  ['EMBEDDING_MODEL', 'm', '', 'PORTOLAN_EMBEDDING_MODEL'],
  ['QDRANT_URL', 'https://q', 'q https://', 'PORTOLAN_QDRANT_URL'],
])('says that %s=%s is not read, and what is', (name, value, unlike, now) => {
  expect(formerNames({ [name]: value })).toEqual([
    `Not read, as it belongs to your application: ${name}. For Portolan, set ${now}.`,
  ])
  expect(formerNames({ [name]: unlike }), 'a value that was never ours').toEqual([])
  expect(formerNames({ [name]: value, [now]: 'x' }), 'it was set already').toEqual([])
})

it('says it in one line for several, and nothing where there is nothing to say', () => {
  expect(formerNames({ REDIS_URL: 'redis://r', EMBEDDING_MODEL: 'm' })).toEqual([
    'Not read, as they belong to your application: REDIS_URL, EMBEDDING_MODEL. For Portolan, set PORTOLAN_REDIS_URL, PORTOLAN_EMBEDDING_MODEL.',
  ])
  expect(formerNames({ HOME: '/x' })).toEqual([])
})

it('says at the start which variables of agent-mcp-gateway are read', () => {
  expect(
    notesOnVariables({ GATEWAY_RULES: 'r.json', GATEWAY_PORT: '1', REDIS_URL: 'redis://r' }),
  ).toEqual([
    'Reads the variables of agent-mcp-gateway: GATEWAY_PORT, GATEWAY_RULES.',
    expect.stringMatching(/^Not read.*REDIS_URL/),
  ])
  expect(notesOnVariables({})).toEqual([])
})
