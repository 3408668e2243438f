import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../test/support/open-test-database.ts'
import { ConfigError } from '../../config/problem.ts'
import { literalSecrets } from './literal-secrets.ts'
import { type Push, pushConfig, rollbackConfig } from './push-config.ts'

const ONE = JSON.stringify({ mcpServers: { one: { command: 'one' } } })
const RULES = JSON.stringify({ agents: { ada: { allow: { servers: ['one'] } } } })
const by = { author: 'ada', message: '' }

async function aHistory() {
  const { storage } = await openTestDatabase()
  return {
    storage,
    push: async (texts: Push['texts'], more: Partial<Push> = {}) =>
      pushConfig(storage, { ...by, texts, ...more }, {}),
  }
}

it('keeps the files that a push does not name, and drops those it is told to', async () => {
  const { push } = await aHistory()
  await push({ mcp: ONE })
  const { row } = await push({ rules: RULES })
  expect(row).toMatchObject({ version: 2, mcp: ONE, rules: RULES, settings: null })
  expect((await push({}, { remove: ['rules'] })).row).toMatchObject({ mcp: ONE, rules: null })
})

it('adds no version when nothing changed', async () => {
  const { push } = await aHistory()
  await push({ mcp: ONE })
  expect(await push({ mcp: ONE })).toMatchObject({ changed: false, row: { version: 1 } })
})

it('finds what is wrong with a server whose variables are not set here', async () => {
  const { push } = await aHistory()
  const good = { mcpServers: { two: { url: '${ADDRESS}', headers: { 'x-key': '${KEY}' } } } }
  await push({ mcp: JSON.stringify(good) })
  const bad = { mcpServers: { two: { url: 'ftp://${HOST}/', timeout_ms: 'soon' } } }
  await expect(push({ mcp: JSON.stringify(bad) })).rejects.toThrow(ConfigError)
})

it('does not let a setting of whoever pushes hide a bad one in the file', async () => {
  const { storage } = await aHistory()
  const push = { ...by, texts: { settings: 'listen: { port: many }' } }
  await expect(pushConfig(storage, push, { PORTOLAN_LISTEN_PORT: '80' })).rejects.toThrow(/port/)
})

it('refuses a push that was made from an older version', async () => {
  const { push } = await aHistory()
  await push({ mcp: ONE }, { expect: 0 })
  await push({ rules: RULES }, { expect: 1 })
  await expect(push({ mcp: '{"mcpServers":{}}' }, { expect: 1 })).rejects.toThrow(
    'You expected version 1; there is version 2, by ada',
  )
})

it('numbers pushes that come together one after another, and loses none', async () => {
  const { push } = await aHistory()
  const pushes = await Promise.all(
    [1, 2, 3, 4].map(async (n) => push({ settings: `pins: ["one.tool${n}"]` })),
  )
  expect(new Set(pushes.map(({ row }) => row.version))).toEqual(new Set([1, 2, 3, 4]))
})

it('goes back to a version as a whole, files that it did not have included', async () => {
  const { storage, push } = await aHistory()
  await push({ mcp: ONE })
  await push({ rules: RULES })
  const { row } = await rollbackConfig(storage, 1, by, {})
  expect(row).toMatchObject({ version: 3, mcp: ONE, rules: null })
  await expect(rollbackConfig(storage, 9, by, {})).rejects.toThrow('There is no version 9')
})

it('refuses secrets that are written out, and says where but not what', async () => {
  const { push } = await aHistory()
  const leaky = { mcpServers: { one: { command: 'x', env: { API_KEY: 'correct-horse' } } } }
  const error = await push({ mcp: JSON.stringify(leaky) }).catch((reason: unknown) => reason)
  expect(String(error)).toContain('mcpServers.one.env.API_KEY')
  expect(String(error)).not.toContain('correct-horse')
  expect((await push({ mcp: JSON.stringify(leaky) }, { force: true })).changed).toBe(true)
})

it.each([
  [{ headers: { Authorization: 'Bearer ${TOKEN}' } }, []],
  [{ headers: { Authorization: 'Bearer abcdef123456' } }, ['mcp.headers.Authorization']],
  [{ env: { TOKEN: '${TOKEN:-abcdef123456}' } }, ['mcp.env.TOKEN']],
  [{ args: ['--api-key', 'abcdef123456'] }, ['mcp.args']],
  [{ args: ['--api-key', '${KEY}', '--verbose'] }, []],
  [{ url: 'postgres://ada:pass@db/x' }, ['mcp.url']],
  [{ env: { PATH: '/usr/bin', TOKENIZER: 'cl100k_base' } }, []],
])('sees in %j the secrets %j', (mcp, places) => {
  expect(literalSecrets({ mcp: JSON.stringify({ mcp }) })).toEqual(places)
})
