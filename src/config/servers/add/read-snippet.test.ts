import { expect, it } from 'vitest'
import { planSnippet } from './read-snippet.ts'

const place = { cwd: '/work', env: { HOME: '/home/ada' } }
const plan = (content: unknown, { name, known = {} }: { name?: string; known?: object } = {}) =>
  planSnippet(typeof content === 'string' ? content : JSON.stringify(content), {
    name,
    place,
    known: { ...known },
  })
const entriesOf = (...args: Parameters<typeof plan>) =>
  plan(...args).map(({ name, entry }) => [name, entry])

const files = { command: 'npx', args: ['-y', 'files'] }

it.each([
  ['mcpServers', { mcpServers: { files } }],
  ['VS Code', { servers: { files: { type: 'stdio', ...files } } }],
  ['settings.json of VS Code', { mcp: { servers: { files } } }],
  ['Zed', { context_servers: { files } }],
  ['servers without a key around', { files }],
  ['a part of a file', '"files": {"command": "npx", "args": ["-y", "files"]},'],
  ['comments', '{ // first\n "mcpServers": {"files": {"command":"npx","args":["-y","files"],}}}'],
])('reads %s', (_, content) => {
  expect(entriesOf(content)).toEqual([['files', files]])
})

it('takes a bare entry with a name, or another name for the only one', () => {
  expect(entriesOf(files, { name: 'mine' })).toEqual([['mine', files]])
  expect(entriesOf({ mcpServers: { files } }, { name: 'mine' })).toEqual([['mine', files]])
  expect(() => plan(files)).toThrow('one entry without a name')
  expect(() => plan({ a: files, b: files }, { name: 'mine' })).toThrow('a, b')
})

it('keeps keys of ours, and converts those of clients', () => {
  const own = { sandbox: true, session: 'per-session', oauth: { clientId: 'x' } }
  expect(entriesOf({ one: { serverUrl: 'https://a.example/mcp', type: 'http', ...own } })).toEqual([
    ['one', { url: 'https://a.example/mcp', ...own }],
  ])
  expect(entriesOf({ api: { openapi: 'spec.yaml', readOnly: true } })).toEqual([
    ['api', { openapi: 'spec.yaml', readOnly: true }],
  ])
})

it('asks for inputs of VS Code, for variables that are not set, and for placeholders', () => {
  const [one] = plan(
    {
      inputs: [{ type: 'promptString', id: 'api-key', description: 'Your key', password: true }],
      servers: {
        one: {
          command: 'x',
          args: ['${KNOWN}', '${OPEN}', '${LEVEL:-1}'],
          env: { KEY: '${input:api-key}', BRAVE_API_KEY: 'YOUR_API_KEY_HERE', LEVEL: 'info' },
        },
      },
    },
    { known: { KNOWN: '1' } },
  )
  expect(one?.entry).toEqual({
    command: 'x',
    args: ['${KNOWN}', '${OPEN}', '${LEVEL:-1}'],
    env: { KEY: '${API_KEY}', LEVEL: 'info' },
  })
  expect(one?.fields).toEqual([
    { at: 'env', key: 'BRAVE_API_KEY', words: ['${BRAVE_API_KEY}'], variables: ['BRAVE_API_KEY'] },
  ])
  expect(one?.variables.map(({ name, isReference }) => [name, isReference ?? false])).toEqual([
    ['BRAVE_API_KEY', false],
    ['OPEN', true],
    ['API_KEY', true],
  ])
  expect(one?.variables.at(-1)?.description).toBe('Your key')
})

it('keeps the scheme before a placeholder in a header', () => {
  const headers = { Authorization: 'Bearer <your token>' }
  const [one] = plan({ one: { url: 'https://a.example', headers } })
  expect(one?.entry).toEqual({ url: 'https://a.example' })
  expect(one?.fields[0]?.words).toEqual(['Bearer ${AUTHORIZATION}'])
})

it.each([
  ['{', 'is not valid JSON'],
  ['[]', 'This JSON cannot be added'],
  ['{}', 'no server'],
  ['{"mcpServers": {"a": {"comand": "x"}}}', 'no server'],
])('refuses %s', (text, message) => {
  expect(() => plan(text)).toThrow(message)
})
