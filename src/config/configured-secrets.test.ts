import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { SecretValues } from '../base/secrets/secret-values.ts'
import { configuredSecrets } from './configured-secrets.ts'
import { type Config, loadConfig } from './load.ts'
import { trustEverything } from './trust/trust-list.ts'

function aConfig(servers: object, secretsEnv = ''): Config {
  const folder = tempFolder()
  folder.write('data/secrets.env', secretsEnv)
  folder.write('.mcp.json', { mcpServers: servers })
  return loadConfig({
    cwd: folder.path,
    env: { HOME: folder.path, PORTOLAN_HOME: folder.file('data') },
    trust: trustEverything,
  })
}

function secretsOf(config: Config, env = {}): SecretValues {
  const secrets = new SecretValues()
  secrets.learn(configuredSecrets(config, env))
  return secrets
}

const hidden = (text: string, config: Config, env = {}) => {
  const secrets = secretsOf(config, env)
  const clean = secrets.hideValues(text)
  expect(JSON.parse(secrets.hideJson(JSON.stringify(text)))).toBe(clean)
  return clean
}

it.each([
  ['a variable whose name says so', { command: 'x', env: { DB_PASS: 'hunter22' } }],
  ['a variable whose value looks random', { command: 'x', env: { SEED: 'hunter22ab93kd02mm' } }],
  ['an argument after a flag', { command: 'x', args: ['--token', 'hunter22'] }],
  ['an argument with its flag', { command: 'x', args: ['--api-key=hunter22'] }],
  ['the password of an address', { command: 'x', args: ['postgres://me:hunter22@db/x'] }],
  ['any header', { url: 'https://a.example/mcp', headers: { 'X-Odd': 'hunter22' } }],
  ['a bearer token', { url: 'https://a.example', headers: { Authorization: 'Bearer hunter22' } }],
  ['the query of an address', { url: 'https://a.example/mcp?apiKey=hunter22' }],
  [
    'the secret of an OAuth client',
    { url: 'https://a.example', oauth: { clientSecret: 'hunter22' } },
  ],
  ['the key of an API', { openapi: './a.json', auth: { type: 'apiKey', value: 'hunter22' } }],
  ['any header of an API', { openapi: './a.json', headers: { 'X-Odd': 'Bearer hunter22' } }],
  ['the settings of an API', { openapi: './spec.json', auth: { token: 'hunter22' } }],
])('hides %s wherever it stands', (_, server) => {
  const text = `cannot log in: hunter22${'env' in server && 'SEED' in server.env ? 'ab93kd02mm' : ''}!`
  expect(hidden(text, aConfig({ one: server }))).toBe('cannot log in: [redacted]!')
})

it('hides what quotes and line ends look like in JSON, and secrets of the process itself', () => {
  const config = aConfig({ one: { command: 'x', env: { A_SECRET: 'say "friend"\nand enter' } } })
  expect(hidden('it was say "friend"\nand enter', config)).toBe('it was [redacted]')
  expect(hidden('no gh-77-xx', config, { MY_API_KEY: 'gh-77-xx' })).toBe('no [redacted]')
})

it('leaves alone what only looks alike: paths, plain words, short values', () => {
  const config = aConfig({
    one: {
      command: 'x',
      args: ['--config', '/etc/portolan/production.json', 'production'],
      env: {
        NODE_ENV: 'production',
        AUTH_DIR: '/var/lib/auth',
        PASS: 'on',
        TOKEN_URL: 'https://id.example/token',
      },
    },
  })
  const text =
    'production in /var/lib/auth, /etc/portolan/production.json, https://id.example/token, on'
  expect(hidden(text, config)).toBe(text)
})

it('remembers a secret that was replaced: what was recorded with it is still shown', () => {
  const [first, second] = ['first-value', 'second-value'].map((value) =>
    aConfig({ one: { command: 'x', env: { A_KEY: value } } }),
  )
  if (!first || !second) throw new Error('there are two')
  const secrets = secretsOf(first)
  expect(secrets.hide('first-value second-value')).toBe('[redacted] second-value')
  secrets.learn(configuredSecrets(second, {}))
  expect(secrets.hide('first-value second-value')).toBe('[redacted] [redacted]')
})

it('takes a bare % in a password as it stands, in entries and in the environment', () => {
  const url = 'http://user:p%zz-word@127.0.0.1:1/mcp'
  const config = aConfig({ one: { url }, two: { command: 'x', args: [url] } })
  expect(hidden('it said p%zz-word', config)).toBe('it said [redacted]')
  const env = { PROXY: 'http://me:100%-secret@proxy:8080/' }
  expect(hidden('it said 100%-secret', aConfig({}), env)).toBe('it said [redacted]')
  const encoded = aConfig({ one: { url: 'http://user:pa%20ss-word@127.0.0.1:1/mcp' } })
  expect(hidden('pa%20ss-word or pa ss-word', encoded)).toBe('[redacted] or [redacted]')
  const basic = Buffer.from('user:pa ss-word').toString('base64')
  expect(hidden(`sent ${basic}`, encoded)).toBe('sent [redacted]')
})

it('knows what secrets.env holds, and a random value that an entry takes from a variable', () => {
  const config = aConfig({ one: { command: '/opt/k3jd83jf93kd92ls/run' } }, 'PLACE="near-the-lake"')
  expect(hidden('at near-the-lake', config)).toBe('at [redacted]')
  const env = { FOLDER: 'k3jd83jf93kd92ls', OTHER: 'zz3jd83jf93kd92ls' }
  expect(hidden('spawn /opt/k3jd83jf93kd92ls/run', config, env)).toBe('spawn /opt/[redacted]/run')
  expect(hidden('zz3jd83jf93kd92ls', config, env)).toBe('zz3jd83jf93kd92ls')
})

it('never hides words that stand in every other sentence', () => {
  const env = {
    DESKTOP_SESSION: 'ubuntu',
    XDG_SESSION_DESKTOP: 'ubuntu-wayland',
    POSTGRES_PASSWORD: 'postgres',
    A_TOKEN: 'true',
    B_TOKEN: 'localhost',
    C_SECRET: 'localhost:5432',
    D_SECRET: '1234567',
    E_PASSWORD: 'swordfish',
  }
  const headers = { Accept: 'application/json', 'X-Token': 'hunter22' }
  const config = aConfig({ one: { url: 'http://127.0.0.1:1/', headers } })
  const text = 'ubuntu-wayland: application/json of postgres on localhost:5432 is true, 1234567'
  expect(hidden(`${text} swordfish hunter22`, config, env)).toBe(`${text} [redacted] [redacted]`)
})

it('does not take the defaults of settings for secrets, whatever they are called', () => {
  const config = aConfig({})
  expect(hidden('Header X-API-Key is missing', config)).toBe('Header X-API-Key is missing')
  const traces = { ...config.settings.traces, apiKey: 'hunter22' }
  const changed = { ...config, settings: { ...config.settings, traces } }
  expect(hidden('it said hunter22', changed)).not.toContain('hunter22')
})

it('learns the headers of settings, and a private key but not the id of its client', () => {
  const privateKey = '-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----\n'
  const clientId = '0oa1bcd2efGHIJklm3x7'
  const oauth = { grant: 'client_credentials', clientId, privateKey }
  const config = aConfig({ one: { url: 'https://a.example', oauth } })
  expect(configuredSecrets(config, {}).filter(Boolean)).toEqual([privateKey])
  const telemetry = { ...config.settings.telemetry, headers: { 'x-team': 'hunter22' } }
  const changed = { ...config, settings: { ...config.settings, telemetry } }
  expect(configuredSecrets(changed, {})).toContain('hunter22')
})

it('learns the password of an address even if the variable of the address is called secret', () => {
  const env = { PORTOLAN_DATABASE_URL: 'postgres://me:hunter22@db/x' }
  expect(hidden('failed for hunter22', aConfig({}), env)).toBe('failed for [redacted]')
})

const learnt = (server: object, env = {}) => configuredSecrets(aConfig({ one: server }), env)

it('learns of an address what lets somebody in, and nothing else of it', () => {
  expect(learnt({ url: 'https://ghp-abc@a.example/mcp' })).toContain('ghp-abc')
  expect(learnt({ url: 'https://ada:pw-1@a.example/mcp' })).toEqual([
    'pw-1',
    'pw-1',
    Buffer.from('ada:pw-1').toString('base64'),
  ])
  expect(learnt({ url: 'https://a.example/mcp?token=t-1&page=2' })).toContain('t-1')
  expect(learnt({ url: 'https://a.example/mcp?token=t-1&page=2' })).not.toContain('2')
  for (const url of ['https://a.example/mcp', 'https://a.example/?dir=/etc/token'])
    expect(learnt({ url }).filter(Boolean)).toEqual([])
})

it('learns every word of a header but the name of its scheme', () => {
  const url = 'https://a.example/mcp'
  const of = (headers: object) => learnt({ url, headers }).filter(Boolean)
  expect(of({ Authorization: 'Bearer  t-1' })).toEqual(['Bearer  t-1', 't-1'])
  expect(of({ 'X-Key': 'tokenized basics' })).toEqual(['tokenized basics', 'tokenized', 'basics'])
  expect(of({ Authorization: 'token' })).toEqual([])
  expect(of({ 'Content-Type': 'a/b', 'MCP-Name': 'x', Host: 'h' })).toEqual([])
})

it.each([
  ['--api-key=k-1', ['k-1']],
  ['-token=k-1', ['k-1']],
  ['token=k-1', ['k-1']],
  ['--api-key=two\nlines', ['two\nlines']],
  ['--url=postgres://me:pw-1@db/x', ['pw-1']],
  ['--name=ada', []],
  ['--api-key=/run/secret', []],
])('of the argument %j learns %j', (arg, values) => {
  const found = learnt({ command: 'x', args: [arg] })
  expect(values.filter((value) => found.includes(value))).toEqual(values)
  expect(found.length === 0).toBe(values.length === 0)
})

it('takes an argument for a secret after a flag that says so, and for a flag itself never', () => {
  expect(learnt({ command: 'x', args: ['--token', 'k-1', 'k-2'] })).toEqual(['k-1'])
  expect(learnt({ command: 'x', args: ['token', 'k-1'] })).toEqual([])
  expect(learnt({ command: 'x', args: ['--token', '--verbose'] })).toEqual([])
})

it('learns what stands deep in an entry, in lists too', () => {
  const auth = { clients: [{ apiKey: ['k-1', 'k-2'], name: 'ada' }], count: 7, none: null }
  expect(learnt({ openapi: './spec.json', auth })).toEqual(['k-1', 'k-2'])
})

it('learns of the environment what is called secret, or is random and stands in an entry', () => {
  const random = 'k3jd83jf93kd92ls'
  const entry = { command: 'x', args: [`--name=${random}x`] }
  expect(learnt({ command: 'x' }, { A_TOKEN: 'k-1', PLAIN: 'k-2', GONE: undefined })).toEqual([
    'k-1',
  ])
  expect(learnt({ command: 'x' }, { TOKEN_FILE: '/run/token', OTHER: random })).toEqual([])
  expect(learnt(entry, { OTHER: random })).toContain(random)
})

it('learns nothing of a server that is broken', () => {
  expect(learnt({ command: 'x', env: { A_TOKEN: '${NO_SUCH_VARIABLE}' } })).toEqual([])
})
