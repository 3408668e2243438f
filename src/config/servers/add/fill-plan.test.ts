import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { fillPlan } from './fill-plan.ts'
import type { DeclaredVariable, ServerPlan } from './server-plan.ts'

const variable = (name: string, more: Partial<DeclaredVariable> = {}): DeclaredVariable => ({
  name,
  description: '',
  isRequired: false,
  isSecret: false,
  choices: [],
  format: 'string',
  ...more,
})

const PLAN: ServerPlan = {
  name: 'files',
  entry: { command: 'npx', args: ['-y', 'files@1.0.0'] },
  fields: [
    { at: 'args', words: ['--mode', '${MODE}'], variables: ['MODE'] },
    { at: 'args', words: ['${DIR}'], variables: ['DIR'] },
    { at: 'env', key: 'GITHUB_TOKEN', words: ['${GITHUB_TOKEN}'], variables: ['GITHUB_TOKEN'] },
    { at: 'env', key: 'LEVEL', words: ['level-${LEVEL}'], variables: ['LEVEL'] },
  ],
  variables: [
    variable('MODE', { choices: ['fast', 'slow'] }),
    variable('DIR', { isRequired: true, format: 'filepath' }),
    variable('GITHUB_TOKEN', { isRequired: true, isSecret: true }),
    variable('LEVEL', { default: '3', format: 'number' }),
  ],
  notes: [],
}

function filledWith(values: Record<string, string>, env: Record<string, string> = {}, stored = '') {
  const folder = tempFolder()
  if (stored !== '') folder.write('secrets.env', stored)
  return fillPlan(PLAN, values, { place: { cwd: '/home/ada', env }, home: folder.path })
}

it('leaves out what is optional and has no value, and stores secrets under a name of its own', () => {
  const { entry, secrets } = filledWith({ DIR: 'notes', GITHUB_TOKEN: 'typed' })
  expect(entry).toEqual({
    command: 'npx',
    args: ['-y', 'files@1.0.0', '/home/ada/notes'],
    env: { GITHUB_TOKEN: '${MCP_FILES_GITHUB_TOKEN}', LEVEL: 'level-3' },
  })
  expect([...secrets]).toEqual([['MCP_FILES_GITHUB_TOKEN', 'typed']])
})

it('never gives a server a stored value or a variable of the environment that has the same name', () => {
  const mine = { GITHUB_TOKEN: 'mine', MCP_FILES_GITHUB_TOKEN: 'other' }
  const { entry, secrets } = filledWith(
    { DIR: '/x', GITHUB_TOKEN: 'typed' },
    mine,
    'GITHUB_TOKEN=mine\nMCP_FILES_GITHUB_TOKEN_2=another\n',
  )
  expect(entry['env']).toMatchObject({ GITHUB_TOKEN: '${MCP_FILES_GITHUB_TOKEN_3}' })
  expect([...secrets.values()]).toEqual(['typed'])
  expect(() => filledWith({ DIR: '/x' }, mine)).toThrow('files needs a value for GITHUB_TOKEN')
})

it('names all values that are missing, and how to give them', () => {
  expect(() => filledWith({})).toThrow(
    expect.objectContaining({
      message: 'files needs a value for DIR, GITHUB_TOKEN',
      details: expect.objectContaining({ data: { missing: ['DIR', 'GITHUB_TOKEN'] } }),
    }),
  )
})

it.each([
  [{ MODE: 'other' }, 'MODE of files must be one of: fast, slow'],
  [{ LEVEL: 'high' }, 'LEVEL of files must be a number'],
  [{ GITHUB_TOKEN: 'a\nb' }, 'must not contain control characters'],
])('refuses %j', (values, message) => {
  expect(() => filledWith({ DIR: '/x', GITHUB_TOKEN: 'y', ...values })).toThrow(message)
})

it('gives other values to the program as variables, and hides those that are secret', () => {
  const { entry, secrets } = filledWith({
    DIR: '/x',
    GITHUB_TOKEN: 'y',
    DEBUG: '1',
    OTHER_API_KEY: 'secret',
  })
  expect(entry['env']).toMatchObject({ DEBUG: '1', OTHER_API_KEY: '${OTHER_API_KEY}' })
  expect(secrets.get('OTHER_API_KEY')).toBe('secret')
})
