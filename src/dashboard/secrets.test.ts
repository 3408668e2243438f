import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { type Config, loadConfig } from '../config/load.ts'
import { Secrets } from './secrets.ts'

function aConfig(servers: object): Config {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: servers })
  return loadConfig({ cwd: folder.path, env: { HOME: folder.path } })
}

const hidden = (text: string, config: Config, env = {}) =>
  JSON.parse(new Secrets(env).hideIn(JSON.stringify(text), config))

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
  const secrets = new Secrets({})
  const [first, second] = ['first-value', 'second-value'].map((value) =>
    aConfig({ one: { command: 'x', env: { A_KEY: value } } }),
  )
  if (!first || !second) throw new Error('there are two')
  secrets.hideIn('', first)
  expect(secrets.hideIn('"first-value second-value"', second)).toBe('"[redacted] [redacted]"')
})
