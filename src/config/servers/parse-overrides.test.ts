import { expect, it } from 'vitest'
import { parseServers } from './parse-servers.ts'

function parse(entry: object) {
  const content = { mcpServers: { hub: { command: 'hub', ...entry } } }
  const { servers, problems } = parseServers(content, '/p/.mcp.json', {})
  return { hub: servers.get('hub'), problems }
}

it('an entry says how agents see its tools, in the words of API packs', () => {
  const tools = {
    search: {
      name: 'find',
      effect: 'read',
      parameters: { owner: { fixed: '${user.LOGIN}' }, page: { name: 'leaf', default: 1 } },
      examples: [{ leaf: 2 }],
    },
    'delete_*': { hidden: true },
  }
  const { hub, problems } = parse({ tools, instructions: 'Search first.' })
  expect(problems).toEqual([])
  expect(hub).toMatchObject({ overrides: { tools, instructions: 'Search first.' }, extra: {} })
})

it.each([
  [{ search: { hiden: true } }, 'search.hiden', '"hiden" is no word about a tool', 'hidden'],
  [{ search: { readOnly: true } }, 'search.readOnly', 'is no word', 'write "effect": "read"'],
  [
    { search: { parameters: { owner: { fix: 1 } } } },
    'search.parameters.owner.fix',
    '"fix" is no word about a parameter',
    'fixed',
  ],
  [{ search: { name: 'a b' } }, 'search.name', '"name" must be 1 to 64 letters', ''],
  [{ search: { effect: 'look' } }, 'search.effect', '"effect" must be one of "read"', ''],
  [{ 'get_*': { name: 'get' } }, 'get_*.name', 'cannot have one name', 'name each tool'],
  [{ search: true }, 'search', 'it must be an object', ''],
])('a mistake in %j concerns its tool alone', (tools, path, message, hint) => {
  const { hub, problems } = parse({ tools: { ...tools, list: { title: 'List' } } })
  expect(problems.map((one) => ({ ...one, hint: one.hint ?? '' }))).toEqual([
    {
      file: '/p/.mcp.json',
      path: `mcpServers.hub.tools.${path}`,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
      server: 'hub',
    },
  ])
  const [key = ''] = Object.keys(tools)
  expect(hub).toMatchObject({
    kind: 'stdio',
    overrides: { tools: { [key]: { mistake: expect.any(String) }, list: { title: 'List' } } },
  })
})

it('of two tools that get one name, the second is wrong', () => {
  const { hub, problems } = parse({ tools: { one: { name: 'x' }, two: { name: 'x' } } })
  expect(problems).toMatchObject([
    { path: 'mcpServers.hub.tools.two.name', message: expect.stringContaining('"one" has') },
  ])
  expect(hub).toMatchObject({
    overrides: { tools: { one: { name: 'x' }, two: { mistake: '"one" has the name "x" too' } } },
  })
})

it('tools that are no object offer nothing, and a list is a word of other clients', () => {
  expect(parse({ tools: 'all' }).hub).toMatchObject({
    overrides: { tools: { '*': { mistake: expect.any(String) } } },
  })
  const { hub, problems } = parse({ tools: ['*'] })
  expect(problems).toEqual([])
  expect(hub).not.toHaveProperty('overrides')
})
