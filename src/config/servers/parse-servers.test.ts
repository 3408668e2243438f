import { describe, expect, it } from 'vitest'
import { parseServers } from './parse-servers.ts'

const FILE = '/project/.mcp.json'

function parse(mcpServers: unknown, env: Record<string, string> = {}) {
  return parseServers({ mcpServers }, FILE, { HOME: '/home/ada', ...env })
}

function server(entry: Record<string, unknown>, env: Record<string, string> = {}) {
  const { servers, problems } = parse({ s: entry }, env)
  expect(problems).toEqual([])
  return servers.get('s')
}

const messages = (content: unknown) =>
  parseServers(content, FILE, {}).problems.map((problem) => problem.message)

describe('a server entry', () => {
  it('with a command is a stdio server', () => {
    expect(server({ command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: 'sub' })).toEqual({
      kind: 'stdio',
      name: 's',
      enabled: true,
      protocol: 'auto',
      session: 'auto',
      userKeys: [],
      extra: {},
      command: 'npx',
      args: ['-y', 'x'],
      env: { A: '1' },
      cwd: '/project/sub',
    })
  })

  it('with a url is an HTTP server, with every header as written', () => {
    const headers = { 'X-API-Key': 'k' }
    expect(server({ url: 'https://x.example/mcp', headers, type: 'sse' })).toMatchObject({
      kind: 'http',
      url: 'https://x.example/mcp',
      headers,
      transport: 'sse',
      extra: {},
    })
  })

  it('may be built in, or an OpenAPI document whose further keys pass through', () => {
    expect(server({ builtin: 'code' })).toMatchObject({ kind: 'builtin', builtin: 'code' })
    expect(server({ openapi: '~/api.yaml', headers: { A: 'b' }, include: ['x'] })).toMatchObject({
      kind: 'openapi',
      openapi: '/home/ada/api.yaml',
      extra: { headers: { A: 'b' }, include: ['x'] },
    })
    expect(server({ openapi: 'https://x.example/api.json' })).toMatchObject({
      openapi: 'https://x.example/api.json',
    })
  })

  it('keeps the common keys, and unknown ones as they are', () => {
    const common = { description: 'd', protocol: '2026-07-28', session: 'shared' }
    const numbers = { timeout_ms: 5, max_concurrency: 2, max_connections: 3 }
    expect(server({ command: 'x', ...common, ...numbers, alwaysAllow: ['y'] })).toMatchObject({
      ...common,
      timeoutMs: 5,
      maxConcurrency: 2,
      maxConnections: 3,
      extra: { alwaysAllow: ['y'] },
    })
  })

  it.each([
    [['npx', '-y', '@playwright/mcp@latest'], 'shared'],
    [['npx', '@playwright/mcp'], 'shared'],
    [['node', '/srv/node_modules/@playwright/mcp/cli.js', '--headless'], 'shared'],
    [['/usr/local/bin/chrome-devtools-mcp'], 'shared'],
    [['npx', 'chrome-devtools-mcp@1.0.0'], 'shared'],
    [['npx', '@executeautomation/playwright-mcp-server'], 'shared'],
    [['npx', '@modelcontextprotocol/server-puppeteer'], 'shared'],
    [['npx', '@playwright/mcp@latest', '--isolated'], 'auto'],
    [['npx', '@playwright/mcp-tools'], 'auto'],
    [['npx', 'my-chrome-devtools-mcp'], 'auto'],
    [['npx', 'x'], 'auto'],
  ])('of one browser is shared by default: %j is %s', ([command, ...args], session) => {
    expect(server({ command, args })).toMatchObject({ session })
    expect(server({ command, args, session: 'per-agent' })).toMatchObject({ session: 'per-agent' })
  })

  it.each([
    [{ enabled: false }, false],
    [{ disabled: true }, false],
    [{ enabled: true, disabled: false }, true],
    [{ enabled: true, disabled: true }, false],
  ])('with %j is enabled: %s', (flags, expected) => {
    expect(server({ command: 'x', ...flags })?.enabled).toBe(expected)
  })
})

it('refuses a name with a line break, which would not tell two tools apart', () => {
  const content = { mcpServers: { 'a\nb': { command: 'x' }, 'a b': { command: 'x' } } }
  expect(messages(content)).toEqual([
    'Server "a\\nb": its name must not contain control characters',
  ])
})

describe('variables', () => {
  it('are replaced in every string value, anywhere in it, and in no key', () => {
    const env = { HOST: 'db', TOKEN: 't' }
    expect(
      server(
        {
          command: '${HOST}ctl',
          args: ['--at=${HOST}:1', '$HOST', '${PORT:-5432}'],
          env: { '${HOST}': '${TOKEN}${TOKEN}' },
          nested: { deep: ['${TOKEN}'] },
        },
        env,
      ),
    ).toMatchObject({
      command: 'dbctl',
      args: ['--at=db:1', '$HOST', '5432'],
      env: { '${HOST}': 'tt' },
      extra: { nested: { deep: ['t'] } },
    })
  })

  it('fall back to their default when unset or empty, and may be empty without one', () => {
    const args = ['${A:-x}', '${A}', '${B:-}', '${C:-a:-b}']
    expect(server({ command: 'x', args }, { A: '' })).toMatchObject({ args: ['x', '', '', 'a:-b'] })
  })

  it('that are not set break their server and no other', () => {
    const { servers, problems } = parse({
      bad: { url: '${NOPE}', description: 'd' },
      good: { command: 'x' },
    })
    expect(problems).toEqual([])
    expect(servers.get('good')?.kind).toBe('stdio')
    expect(servers.get('bad')).toEqual({
      kind: 'broken',
      name: 'bad',
      description: 'd',
      enabled: true,
      error: expect.stringMatching(
        /^Environment variable "NOPE" referenced in configuration but not set\. /,
      ),
    })
  })
})

describe('mistakes are named', () => {
  it.each<[unknown, string | undefined]>([
    [{ servers: { a: { command: 'x' } } }, 'rename "servers" to "mcpServers"'],
    [{ inputs: [], mcp_servers: {} }, 'rename "mcp_servers" to "mcpServers"'],
    [{ a: { url: 'https://x' } }, 'put the servers inside: {"mcpServers": { … }}'],
    [{ a: 1 }, undefined],
  ])('%j, as other clients have it, and what to write instead', (content, hint) => {
    expect(parseServers(content, '/p/.mcp.json', {}).problems).toEqual([
      { file: '/p/.mcp.json', path: '', message: 'Missing required key "mcpServers"', hint },
    ])
  })

  it.each<[unknown, string]>([
    [{}, 'Missing required key "mcpServers"'],
    [{ mcpServers: [] }, '"mcpServers" must be an object, got array'],
    [{ mcpServers: null }, '"mcpServers" must be an object, got null'],
    [
      { mcpServers: { s: { command: 'x', url: 'http://y' } } },
      'Server "s" cannot have both "command" (stdio) and "url" (HTTP) - specify one transport type only',
    ],
    [
      { mcpServers: { s: { builtin: 'code', openapi: 'y' } } },
      'Server "s" cannot have both "builtin" and "openapi" - specify one transport type only',
    ],
    [
      { mcpServers: { s: { args: [] } } },
      'Server "s" must specify either "command" (stdio) or "url" (HTTP) transport',
    ],
    [{ mcpServers: { s: 'x' } }, 'Server "s" must be an object, got string'],
    [
      { mcpServers: { s: { command: 'x', args: 'y' } } },
      'Server "s": "args" must be an array, got string',
    ],
    [
      { mcpServers: { s: { command: 'x', args: ['y', 1] } } },
      'Server "s": args[1] must be a string, got number',
    ],
    [
      { mcpServers: { s: { command: 'x', env: [] } } },
      'Server "s": "env" must be an object, got array',
    ],
    [
      { mcpServers: { s: { command: 'x', env: { K: true } } } },
      'Server "s": env["K"] must be a string, got boolean',
    ],
    [
      { mcpServers: { s: { url: 'http://y', headers: { K: 1 } } } },
      'Server "s": headers["K"] must be a string, got number',
    ],
    [
      { mcpServers: { s: { url: 'ftp://y' } } },
      'Server "s": "url" must start with http:// or https://, got "ftp://y"',
    ],
    [{ mcpServers: { s: { command: 5 } } }, 'Server "s": "command" must be a string, got number'],
    [{ mcpServers: { s: { command: '' } } }, 'Server "s": "command" must not be empty'],
    [
      { mcpServers: { s: { builtin: 'cod' } } },
      'Server "s": "builtin" must be one of "code", "knowledge", "traces", got "cod"',
    ],
    [[], 'must be an object with the key "mcpServers", got array'],
  ])('%j', (content, message) => {
    expect(messages(content)).toEqual([message])
  })

  it('all at once, each with its file and its path', () => {
    const { problems } = parse({ a: { command: 'x', args: [1], env: { K: 2 } }, b: {} })
    expect(problems.map(({ file, path }) => `${file} ${path}`)).toEqual([
      `${FILE} mcpServers.a.args[0]`,
      `${FILE} mcpServers.a.env.K`,
      `${FILE} mcpServers.b`,
    ])
  })
})

const oauthOf = (oauth?: object) => {
  const one = server({ url: 'https://x.example/mcp', ...(oauth && { oauth }) })
  return one?.kind === 'http' ? one.oauth : undefined
}

describe('what an entry says of a server', () => {
  it('may be which of its tools there are', () => {
    expect(server({ command: 'x', enabled_tools: ['a'], disabled_tools: ['b'] })).toMatchObject({
      tools: { only: ['a'], without: ['b'] },
      extra: {},
    })
    expect(server({ command: 'x', enabled_tools: ['a'] })).toMatchObject({ tools: { only: ['a'] } })
    expect(server({ command: 'x', disabled_tools: ['b'] })).toHaveProperty('tools', {
      without: ['b'],
    })
    expect(server({ command: 'x' })).not.toHaveProperty('tools')
  })

  it('may be how much it may do at once, and how long', () => {
    const limits = { timeout_ms: 5, max_concurrency: 6, max_connections: 7 }
    expect(server({ command: 'x', ...limits })).toMatchObject({
      timeoutMs: 5,
      maxConcurrency: 6,
      maxConnections: 7,
      extra: {},
    })
    for (const key of ['timeoutMs', 'maxConcurrency', 'maxConnections', 'description', 'cwd'])
      expect(server({ command: 'x' })).not.toHaveProperty(key)
  })

  it('is off where it is disabled in either way', () => {
    const enabled = [
      {},
      { enabled: true },
      { disabled: false },
      { enabled: false },
      { disabled: true },
    ]
    expect(enabled.map((entry) => server({ command: 'x', ...entry })?.enabled)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('may be how to sign in: each person by themselves where nothing is said', () => {
    expect(oauthOf()).toMatchObject({ tokens: 'per-person', grant: 'authorization_code' })
    expect(oauthOf({ tokens: 'shared', clientId: 'c', scope: 's' })).toMatchObject({
      tokens: 'shared',
      grant: 'authorization_code',
      clientId: 'c',
      scope: 's',
    })
    expect(
      oauthOf({ grant: 'client_credentials', clientId: 'c', clientSecret: 'x' }),
    ).toMatchObject({ tokens: 'shared', grant: 'client_credentials' })
  })

  it('may be a path from the home folder, or the name of a pack, or an address', () => {
    expect(server({ command: '~/bin/x' })).toMatchObject({ command: '/home/ada/bin/x', args: [] })
    expect(server({ command: 'x~' })).toMatchObject({ command: 'x~' })
    for (const [openapi, expected] of [
      ['nsip', 'nsip'],
      ['my-api_2', 'my-api_2'],
      ['http://x.example/api.json', 'http://x.example/api.json'],
      ['HTTPS://x.example/api.json', 'HTTPS://x.example/api.json'],
      ['api.json', '/project/api.json'],
      ['sub/api', '/project/sub/api'],
      ['dir/http://x', '/project/dir/http:/x'],
    ])
      expect(server({ openapi })).toMatchObject({ openapi: expected })
  })

  it('is no key of its own kind a second time', () => {
    expect(server({ builtin: 'code' })).toMatchObject({ extra: {} })
    expect(server({ openapi: 'nsip' })).toMatchObject({ extra: {} })
    expect(server({ url: 'https://x.example/mcp', headers: {}, oauth: {} })).toMatchObject({
      extra: {},
    })
    expect(server({ url: 'https://x.example/mcp' })).not.toHaveProperty('transport')
  })

  it('may be a key of the person who calls, in its variables and headers', () => {
    expect(server({ command: 'x', env: { T: '${user.TOKEN}' } })).toMatchObject({
      env: { T: '${user.TOKEN}' },
      userKeys: ['TOKEN'],
    })
    const headers = { Authorization: 'Bearer ${user.TOKEN}' }
    expect(server({ url: 'https://x.example/mcp', headers })).toMatchObject({ userKeys: ['TOKEN'] })
  })
})
