import { existsSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { storedSecrets } from '../../../test/support/stored-secrets.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { type CliResult, runCli } from '../../../test/support/run-cli.ts'

function aHome() {
  const folder = tempFolder()
  folder.write(
    '.mcp.json',
    '{\n  "mcpServers": {\n    // the bugs\n    "sentry": { "command": "sentry-mcp" },\n    "other": { "command": "other" }\n  }\n}\n',
  )
  const secrets = async (args: string[], typed = ''): Promise<CliResult> =>
    runCli(folder, ['secrets', ...args], {}, typed)
  return { folder, secrets }
}

it('stores a value sealed, with what a person had written by hand, and gives it to a server', async () => {
  const { folder, secrets } = aHome()
  folder.write('data/secrets.env', '# mine\nOLD=1\n')
  const set = await secrets(['set', 'SENTRY_ACCESS_TOKEN', '--for', 'sentry'], 'sntrys_"x"\n')
  expect(set).toMatchObject({ code: 0, stdout: '' })
  expect(set.stderr).not.toContain('sntrys')
  expect(storedSecrets(folder)).toBe('# mine\nOLD=1\nSENTRY_ACCESS_TOKEN="sntrys_\\"x\\""\n')
  const servers = folder.read('.mcp.json')
  expect(servers).toContain('// the bugs')
  expect(servers.match(/\$\{SENTRY_ACCESS_TOKEN\}/g)).toHaveLength(1)
  expect(servers).toContain('"other": { "command": "other" }')

  expect(existsSync(folder.file('data/secrets.env'))).toBe(false)
  expect(folder.read('data/secrets.sealed')).toMatch(/^sealed2:/)
  await secrets(['set', 'FRESH'], 'one')
  await secrets(['set', 'FRESH'], 'two')
  expect(storedSecrets(folder)).toContain('FRESH="two"')
  expect(storedSecrets(folder)).not.toContain('one')
  expect((await secrets(['list'])).stdout).toBe('FRESH\nOLD\nSENTRY_ACCESS_TOKEN\n')
  expect((await secrets(['remove', 'FRESH'])).code).toBe(0)
  expect((await secrets(['list'])).stdout).toBe('OLD\nSENTRY_ACCESS_TOKEN\n')
})

it.each([
  ['secrets', 'No secrets are stored'],
  ['keys', 'There are no keys'],
  ['users', 'There are no people'],
])(
  'portolan %s list says where there is nothing to list, and not on stdout',
  async (command, said) => {
    const { code, stdout, stderr } = await runCli(tempFolder(), [command, 'list'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain(said)
  },
)

it('makes the file private, and says what is wrong with what was typed', async () => {
  const { folder, secrets } = aHome()
  await secrets(['set', 'KEY_ONE'], 'value')
  expect(statSync(folder.file('data/secrets.sealed')).mode & 0o777).toBe(0o600)
  expect((await secrets(['set', 'KEY_TWO'], '')).stderr).toContain('No value was given')
  expect((await secrets(['set', 'not a name'], '')).stderr).toContain('cannot be the name')
  const wrong = await secrets(['set', 'KEY_ONE', '--for', 'sentri'], 'x')
  expect(wrong.code).not.toBe(0)
  expect(wrong.stderr).toContain("Did you mean 'sentry'?")
  expect((await secrets(['remove', 'KEY_ON'])).stderr).toContain("Did you mean 'KEY_ONE'?")
})

it('keeps all other values when a name is one that every object has', async () => {
  const { folder, secrets } = aHome()
  folder.write('data/secrets.env', '# mine\nOLD=1\n')
  expect((await secrets(['set', 'constructor'], 'new')).code).toBe(0)
  expect(storedSecrets(folder)).toBe('# mine\nOLD=1\nconstructor="new"\n')
})

it('refuses to give a key of a person to a server as a variable', async () => {
  const { folder, secrets } = aHome()
  const { code, stderr } = await secrets(['set', 'KEY', '--user', '--for', 'sentry'], 'x')
  expect(code).toBe(1)
  expect(stderr).toContain('${user.KEY}')
  expect(folder.read('.mcp.json')).not.toContain('KEY')
})
