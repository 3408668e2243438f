import { describe, expect, it } from 'vitest'
import { published } from '../../../../../test/support/a-registry.ts'
import { localName, optionsOf, planFromRegistry } from './plan-from-registry.ts'
import { toRegistryEntry } from './registry-server.ts'

const OFFICIAL = 'https://registry.example'

function hitOf(server: object, registry = OFFICIAL) {
  const entry = toRegistryEntry({ name: 'io.github.a/one', version: '1.0.0', ...server })
  if (!entry) throw new Error('the entry does not fit')
  return { ...entry, registry }
}

const ofName = (part: string) =>
  hitOf(published().findLast(({ name }) => name.includes(part)) ?? {})

const planOf = (server: object, registry?: string) =>
  planFromRegistry(hitOf(server, registry), { sandbox: true })

const npm = (more: object = {}) => ({
  packages: [{ registryType: 'npm', identifier: 'one', version: '1.0.0', ...more }],
})
const problemOf = (server: object) => optionsOf(hitOf(server))[0]?.problem

describe('a published entry', () => {
  it('becomes an npx command of the exact version, with its secret asked for', () => {
    const plan = planFromRegistry(ofName('airtable'), { sandbox: true })
    expect(plan).toMatchObject({
      name: 'airtable',
      entry: { command: 'npx', args: ['-y', 'airtable-mcp-server@1.7.3'], sandbox: true },
      fields: [{ at: 'env', key: 'AIRTABLE_API_KEY', words: ['${AIRTABLE_API_KEY}'] }],
      variables: [{ name: 'AIRTABLE_API_KEY', isRequired: true, isSecret: true }],
    })
    expect(plan.notes).toEqual([
      expect.stringContaining('docker run -i --rm docker.io/domdomegg/airtable-mcp-server:1.7.3'),
      expect.stringContaining('mcpb'),
    ])
  })

  it('has its arguments and variables under names of their own', () => {
    const plan = planFromRegistry(ofName('mongodb'), { sandbox: false, name: 'db' })
    expect(plan).toMatchObject({ name: 'db', entry: { command: 'npx' } })
    expect(plan.entry['sandbox']).toBeUndefined()
    expect(plan.variables.map(({ name, isSecret }) => [name, isSecret])).toEqual([
      ['READ_ONLY', false],
      ['MDB_MCP_CONNECTION_STRING', true],
      ['MDB_MCP_READ_ONLY', false],
    ])
    expect(plan.fields[0]).toEqual({
      at: 'args',
      words: ['--readOnly', '${READ_ONLY}'],
      variables: ['READ_ONLY'],
    })
  })

  it('may be a remote server, or nothing that can be added, with what is missing', () => {
    const plan = planFromRegistry(ofName('cyphrex'), { sandbox: true })
    expect(plan.entry).toEqual({ url: 'https://mcp.cyphrex.io/mcp' })
    expect(() => planFromRegistry(ofName('time-mcp-nuget'), { sandbox: true })).toThrow(
      'cannot be added from the registry',
    )
    expect(optionsOf(ofName('time-mcp-pypi'))[0]?.problem).toContain('uvx time-mcp-pypi@1.0.6')
  })
})

it('fills variables into a header and an address', () => {
  const plan = planOf({
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com/mcp',
        variables: { tenant: { description: 'Your tenant', isRequired: true } },
        headers: [
          {
            name: 'Authorization',
            value: 'Bearer {token}',
            variables: { token: { isSecret: true, isRequired: true } },
          },
        ],
      },
    ],
  })
  expect(plan.fields).toEqual([
    { at: 'url', words: ['https://${TENANT}.example.com/mcp'], variables: ['TENANT'] },
    { at: 'headers', key: 'Authorization', words: ['Bearer ${TOKEN}'], variables: ['TOKEN'] },
  ])
})

it('suggests a path of this machine, and never uses it unasked', () => {
  const [variable] = planOf(
    npm({ packageArguments: [{ type: 'positional', valueHint: 'dir', default: '/home/you' }] }),
  ).variables
  expect(variable).toMatchObject({ name: 'DIR', placeholder: '/home/you', default: undefined })
})

describe('an entry is not added', () => {
  it.each([
    ['that is no npm name', { identifier: '--registry=https://evil.example' }],
    ['that is a URL', { identifier: 'https://evil.example/x.tgz' }],
    ['that is an alias of another', { identifier: 'one@npm:evil' }],
    ['of no exact version', { version: 'latest' }],
    ['with a version that is another package', { version: '1.0.0 evil' }],
    ['of another registry of packages', { registryBaseUrl: 'https://evil.example' }],
    [
      'with a program for npx',
      { runtimeArguments: [{ type: 'named', name: '--package', value: 'evil' }] },
    ],
    ['with a shell line for npx', { runtimeArguments: [{ type: 'positional', value: '-c' }] }],
    ['with a web server', { transport: { type: 'streamable-http', url: 'http://localhost:1' } }],
    [
      'that takes a variable of mine',
      { environmentVariables: [{ name: 'A', value: '${AWS_SECRET}' }] },
    ],
    [
      'that suggests a variable of mine',
      { environmentVariables: [{ name: 'A', default: '${HOME}' }] },
    ],
    [
      'with a key of the person who calls',
      { packageArguments: [{ type: 'positional', value: '${user.KEY}' }] },
    ],
    ['that loads code', { environmentVariables: [{ name: 'NODE_OPTIONS', value: '--import=x' }] }],
    ['that asks for what loads code', { environmentVariables: [{ name: 'npm_config_registry' }] }],
    ['that names my files', { packageArguments: [{ type: 'positional', value: '~/.ssh' }] }],
    [
      'that names my files in a flag',
      { packageArguments: [{ type: 'named', name: '--root=/', value: 'x' }] },
    ],
    ['that names files by a URL', { environmentVariables: [{ name: 'A', value: 'file:///etc' }] }],
    [
      'with control characters',
      { packageArguments: [{ type: 'positional', value: 'a\u001B[2J' }] },
    ],
    ['with a variable of no name', { environmentVariables: [{ name: 'A\nB', value: 'x' }] }],
  ])('%s', (_, more) => {
    expect(problemOf(npm(more))).toBeDefined()
    expect(() => planOf(npm(more))).toThrow('cannot be added')
  })

  it.each([
    'http://public.example/mcp',
    'https://127.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://169.254.169.254/latest',
    'https://metadata/mcp',
    'https://key@host.example/mcp',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://host.example/${GITHUB_TOKEN}',
  ])('at the address %s', (url) => {
    expect(problemOf({ remotes: [{ type: 'streamable-http', url }] })).toBeDefined()
  })
})

it('takes private addresses from a registry on a private address alone', () => {
  const server = { remotes: [{ type: 'streamable-http', url: 'http://10.0.0.5/mcp' }] }
  expect(planOf(server, 'http://10.0.0.1').entry).toEqual({ url: 'http://10.0.0.5/mcp' })
  expect(() => planOf(server)).toThrow('cannot be added')
})

it.each([
  ['io.github.upstash/context7-mcp', 'context7'],
  ['io.github.brave/brave-search-mcp-server', 'brave-search'],
  ['com.notion/mcp', 'notion'],
  ['io.github.a/mcp-server-git', 'git'],
  ['io.github.a/_-x', 'x'],
])('names %s %s', (name, local) => {
  expect(localName(name)).toBe(local)
})
