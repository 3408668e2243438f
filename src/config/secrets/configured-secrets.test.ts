import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { configuredSecrets } from './configured-secrets.ts'
import { type Config, loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'

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
