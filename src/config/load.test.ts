import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { trustEverything } from './trust/trust-list.ts'
import { type Flags, loadConfig } from './load.ts'
import { ConfigError } from './problem.ts'

const one = (name: string) => ({ mcpServers: { [name]: { command: 'x' } } })

function aPlace() {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const load = (env: Record<string, string> = {}, flags: Flags = {}) =>
    loadConfig({
      cwd: cwd.path,
      env: { HOME: home.path, ...env },
      flags,
      trust: trustEverything,
    })
  return { cwd, home, load }
}

function problemsOf(run: () => unknown) {
  try {
    run()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('it loaded')
}

it('needs no file at all', () => {
  const { load, home } = aPlace()
  const config = load()
  expect(config).toMatchObject({ rules: undefined, paths: {}, warnings: [] })
  expect([...config.servers.keys()]).toEqual(['code', 'knowledge', 'traces'])
  expect(config.settings).toMatchObject({
    home: home.file('.portolan'),
    listen: { host: '127.0.0.1', port: 7411 },
    surface: 'discover',
    auth: { required: 'auto' },
    deadlines: { callMs: 60_000, connectMs: 30_000 },
    upstreams: { start: 'lazy', releaseMs: 300_000 },
  })
})

describe('a file is looked for', () => {
  it('by variable, in the working folder, in ./config, in that order', () => {
    const { cwd, home, load } = aPlace()
    const found = (env?: Record<string, string>) => [...load(env).servers.keys()]
    cwd.write('config/.mcp.json', one('in-config'))
    expect(found()).toEqual(['in-config'])
    cwd.write('.mcp.json', one('in-cwd'))
    expect(found()).toEqual(['in-cwd'])
    home.write('other.json', one('by-variable'))
    for (const variable of ['PORTOLAN_MCP', 'GATEWAY_MCP_CONFIG'])
      expect(found({ [variable]: '~/other.json' })).toEqual(['by-variable'])
    expect(load({ GATEWAY_MCP_CONFIG: '~/other.json' }).paths.mcp).toBe(home.file('other.json'))
  })

  it('for every folder, in the data folder before that of the gateway we succeed', () => {
    const { home, load } = aPlace()
    const found = (env?: Record<string, string>) => [...load(env).servers.keys()]
    home.write('.config/agent-mcp-gateway/.mcp.json', one('former'))
    expect(found()).toEqual(['former'])
    home.write('.portolan/mcp.json', one('own'))
    expect(found()).toEqual(['own'])
    home.write('elsewhere/mcp.json', one('moved'))
    expect(found({ PORTOLAN_HOME: '~/elsewhere' })).toEqual(['moved'])
  })

  it('by flag before all else', () => {
    const { cwd, load } = aPlace()
    cwd.write('a.json', { agents: { a: {} } })
    cwd.write('b.json', { agents: { b: {} } })
    const config = load({ GATEWAY_RULES: 'a.json' }, { rules: 'b.json' })
    expect(Object.keys(config.rules?.agents ?? {})).toEqual(['b'])
  })

  it('and is an error when it was asked for and is not there', () => {
    const { cwd, load } = aPlace()
    expect(problemsOf(() => load({ GATEWAY_MCP_CONFIG: 'no.json' }))).toEqual([
      { file: cwd.file('no.json'), path: '', message: 'file not found' },
    ])
  })
})

describe("the user's own files", () => {
  it('lie beneath those of the working folder, and of the one that is named instead', () => {
    const { cwd, home, load } = aPlace()
    const own = home.write('.portolan/mcp.json', {
      mcpServers: { mine: { command: 'mine' }, both: { command: 'of-the-user' } },
    })
    const here = cwd.write('.mcp.json', {
      mcpServers: { both: { command: 'of-the-project' }, theirs: { command: 'theirs' } },
    })
    const config = load()
    expect([...config.servers.keys()]).toEqual(['mine', 'both', 'theirs'])
    expect(config.servers.get('both')).toMatchObject({ command: 'of-the-project' })
    expect(config.origins.servers).toEqual(
      new Map([
        ['mine', own],
        ['both', here],
        ['theirs', here],
      ]),
    )
    expect(config.files.mcp).toEqual([
      { level: 'user', path: own },
      { level: 'project', path: here },
    ])
    const named = home.write('named.json', one('named'))
    expect([...load({}, { mcp: named }).servers.keys()]).toEqual(['mine', 'both', 'named'])
    // The same file twice is one file.
    expect(load({}, { mcp: own }).files.mcp).toEqual([{ level: 'project', path: own }])
  })

  it('hold rules: an agent that both name has those of the project, whole', () => {
    const { cwd, home, load } = aPlace()
    home.write('.portolan/rules.json', {
      agents: { ada: { deny: { servers: ['a'] } }, bob: {} },
      defaults: { deny_on_missing_agent: false },
    })
    expect(load().rules).toMatchObject({ agents: { ada: { deny: {} } }, denyOnMissingAgent: false })
    cwd.write('.mcp-gateway-rules.json', { agents: { ada: { allow: { servers: ['b'] } } } })
    const { rules } = load()
    expect(rules?.agents).toEqual({ ada: { allow: { servers: ['b'] } }, bob: {} })
    expect(rules?.denyOnMissingAgent).toBe(false)
    cwd.write('.mcp-gateway-rules.json', {
      agents: {},
      defaults: { deny_on_missing_agent: true },
    })
    expect(load().rules?.denyOnMissingAgent).toBe(true)
  })

  it('hold settings, which environment, flags and the project override one by one', () => {
    const { cwd, home, load } = aPlace()
    home.write('.portolan/portolan.yaml', 'listen: { host: h1, port: 1, path: /user }\n')
    cwd.write('portolan.yaml', 'listen: { host: h2, port: 2 }\n')
    expect(load({ PORTOLAN_LISTEN_PORT: '3' }).settings.listen).toMatchObject({
      host: 'h2',
      port: 3,
      path: '/user',
    })
  })

  it('are named in what is wrong with them', () => {
    const { cwd, home, load } = aPlace()
    const own = home.write('.portolan/portolan.yaml', 'listen: { port: eighty }\nsurfase: all\n')
    const here = cwd.write('portolan.yaml', 'listen: { prot: 1 }\n')
    expect(problemsOf(load).map(({ file, path }) => [file, path])).toEqual(
      expect.arrayContaining([
        [own, 'listen.port'],
        [own, 'surfase'],
        [here, 'listen.prot'],
      ]),
    )
  })
})

describe('settings', () => {
  it('come from flags before environment before file before defaults', () => {
    const { cwd, load } = aPlace()
    cwd.write('portolan.yaml', 'listen: { host: 0.0.0.0, port: 1, path: /x }\n')
    const { listen } = load(
      { PORTOLAN_LISTEN_PORT: '2', PORTOLAN_LISTEN_HOST: 'h2' },
      { overrides: { listen: { host: 'h3', port: undefined } } },
    ).settings
    expect(listen).toMatchObject({ host: 'h3', port: 2, path: '/x', maxBodyBytes: 67_108_864 })
  })

  it.each(['http-sse', 'websocket'])(
    'know the transport %s of a server that runs alone',
    (name) => {
      const { load } = aPlace()
      expect(load({ MCP_TRANSPORT: name }).settings.listen.transport).toBe('http')
    },
  )

  it('know the variables people already use', () => {
    const { home, load } = aPlace()
    const { settings } = load({
      MCP_TRANSPORT: 'streamable-http',
      MCP_HOST: 'h',
      MCP_PORT: '1',
      MCP_PATH: '/p',
      GATEWAY_CORS_ORIGINS: 'https://a.example, https://b.example',
      GATEWAY_AUDIT_LOG: '~/audit.jsonl',
      GATEWAY_DEBUG: 'yes',
      GATEWAY_DEFAULT_AGENT: 'guest',
      GATEWAY_INIT_STRATEGY: 'eager',
      PORTOLAN_HOME: '~/data',
      PORTOLAN_UPSTREAMS_RELEASE_MS: '5',
      PORTOLAN_BUILTINS_CODE: 'off',
      PORTOLAN_AUTH_REQUIRED: 'true',
      PORTOLAN_PINS: 'pg.query',
      PORTOLAN_DEADLINES_TOOLS: '{"pg.query": 5}',
    })
    expect(settings).toMatchObject({
      home: home.file('data'),
      listen: {
        transport: 'http',
        host: 'h',
        port: 1,
        path: '/p',
        allowedOrigins: ['https://a.example', 'https://b.example'],
      },
      audit: { path: home.file('audit.jsonl') },
      debug: true,
      auth: { required: true, defaultAgent: 'guest' },
      upstreams: { start: 'eager', releaseMs: 5 },
      builtins: { code: false, traces: 'auto' },
      pins: ['pg.query'],
      deadlines: { tools: { 'pg.query': 5 } },
    })
  })

  it('prefer our own variables over GATEWAY_ over MCP_', () => {
    const { load } = aPlace()
    const portOf = (env: Record<string, string>) => load(env).settings.listen.port
    const env = { MCP_PORT: '1', GATEWAY_PORT: '2' }
    expect(portOf(env)).toBe(2)
    expect(portOf({ ...env, GATEWAY_HTTP_PORT: '3' })).toBe(3)
    expect(portOf({ ...env, PORTOLAN_LISTEN_PORT: '4' })).toBe(4)
    expect(portOf({ ...env, GATEWAY_PORT: '' })).toBe(1)
  })

  it('name every mistake with its place, and what was probably meant', () => {
    const { cwd, load } = aPlace()
    const file = cwd.write(
      'portolan.yaml',
      'listn: {}\nlisten: { prot: 1 }\nagents: { ada: { maxToken: 1 } }\nlimits: { burst: 0 }\n' +
        'surface: all\npins: [query]\nauth: { jwt: { audience: x } }\n',
    )
    const problems = problemsOf(() => load({ MCP_PORT: 'eighty' }))
    expect(problems.map(({ file: where, path, hint }) => [where, path, hint])).toEqual(
      expect.arrayContaining([
        [file, 'listn', "Did you mean 'listen'?"],
        [file, 'listen.prot', "Did you mean 'port'?"],
        [file, 'agents.ada.maxToken', "Did you mean 'maxTokens'?"],
        [file, 'limits.burst', undefined],
        [file, 'surface', undefined],
        [file, 'pins[0]', undefined],
        [file, 'auth.jwt.jwksUrl', undefined],
        ['environment', 'MCP_PORT', undefined],
      ]),
    )
    expect(problems).toHaveLength(8)
  })

  it('may be an empty file, but not a list', () => {
    const { cwd, load } = aPlace()
    cwd.write('portolan.yaml', '# nothing yet\n')
    expect(load().settings.debug).toBe(false)
    cwd.write('portolan.yaml', '- a\n')
    expect(problemsOf(load)[0]?.message).toBe('must be a mapping of settings, got array')
  })
})

it('lists the problems of all files at once', () => {
  const { cwd, load } = aPlace()
  const files = [
    cwd.write('.mcp.json', '{\n  "mcpServers": {,}\n}'),
    cwd.write('.mcp-gateway-rules.json', { agents: [] }),
    cwd.write('portolan.yaml', 'a: [1'),
  ]
  const problems = problemsOf(load)
  expect(problems.map(({ file }) => file)).toEqual(files)
  expect(problems[0]?.message).toMatch(/^is not valid JSON: .*line 2, column 18/)
  expect(problems[2]?.message).toMatch(/^is not valid YAML: .*line 1, column \d+$/)
})

it('reads a file that begins with a byte order mark', () => {
  const { cwd, load } = aPlace()
  cwd.write('.mcp.json', `\uFEFF${JSON.stringify(one('a'))}`)
  expect([...load().servers.keys()]).toEqual(['a'])
})

it('warns of rules about servers that are neither configured nor built in', () => {
  const { cwd, load } = aPlace()
  cwd.write('.mcp.json', one('pg'))
  cwd.write('.mcp-gateway-rules.json', {
    agents: { a: { allow: { servers: ['pg', 'code', 'ghost'] } } },
  })
  const ghost = 'Agent "a" allow.servers references undefined server "ghost"'
  expect(load({ PORTOLAN_BUILTINS_CODE: 'true' }).warnings).toEqual([ghost])
  expect(load().warnings).toHaveLength(2)
})

it('offers the built-in servers where no other is configured, or where they are asked for', () => {
  const { cwd, load } = aPlace()
  expect([...load().servers.keys()]).toEqual(['code', 'knowledge', 'traces'])
  cwd.write('.mcp.json', one('pg'))
  expect([...load().servers.keys()]).toEqual(['pg'])
  expect([...load({ PORTOLAN_BUILTINS_CODE: 'true' }).servers.keys()]).toEqual(['pg', 'code'])
})

it('reads servers with comments, and uses the others where one entry is wrong', () => {
  const { cwd, load } = aPlace()
  cwd.write(
    '.mcp.json',
    '{\n  // ours\n  "mcpServers": {\n    "good": {"command": "x"},\n    "typo": {"comand": "y"},\n    "gone": {"command": "z", "envFile": "no-such.env"}, // later\n  },\n}\n',
  )
  const { servers, warnings } = load()
  expect(servers.get('good')).toMatchObject({ kind: 'stdio', command: 'x' })
  expect(servers.get('typo')).toMatchObject({
    kind: 'broken',
    error: expect.stringContaining('must specify either "command"'),
  })
  expect(servers.get('gone')).toMatchObject({
    kind: 'broken',
    error: expect.stringContaining('no-such.env does not exist'),
  })
  expect(warnings.join('\n')).toContain('did you mean "command"?')
  // A file that is no JSON at all is still refused, with the place.
  cwd.write('.mcp.json', '{ "mcpServers": ')
  expect(problemsOf(load)[0]?.message).toContain('is not valid JSON')
})

it('takes the variables of an envFile beneath those of env', () => {
  const { cwd, load } = aPlace()
  cwd.write('keys.env', 'A=from-file\nexport B="also"\n')
  cwd.write('.mcp.json', {
    mcpServers: { one: { command: 'x', envFile: 'keys.env', env: { A: 'own' } } },
  })
  expect(load().servers.get('one')).toMatchObject({ env: { A: 'own', B: 'also' } })
})
