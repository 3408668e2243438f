import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readSecrets } from '../secrets/stored-secrets.ts'
import { type EntryChange, changeEntry, readEntry } from './edit-entry.ts'

const KEY = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
const TEXT = `{
  // servers of the team
  "mcpServers": {
    "one": {
      "command": "node", // the runtime
      "args": ["one.js", "--fast"],
      "env": { "API_KEY": "${KEY}", "MODE": "a" }
    },
    "two": { "url": "https://two.example/mcp" }
  }
}
`

function aFile() {
  const folder = tempFolder()
  folder.write('data/mcp.json', TEXT)
  const home = folder.file('data')
  const file = folder.file('data/mcp.json')
  const place = { cwd: folder.path, env: { PORTOLAN_HOME: home, HOME: folder.path } }
  const change = async (edit: EntryChange['edit'], more: Partial<EntryChange> = {}) =>
    changeEntry(place, { file, name: 'one', home, by: 'ada', reason: 'edit', edit, ...more })
  const secrets = () => readSecrets(home, place.env)
  return { folder, file, secrets, change, read: () => folder.read('data/mcp.json') }
}

it('shows an entry without its secrets', () => {
  const { file } = aFile()
  expect(readEntry(file, 'one').entry['env']).toEqual({ API_KEY: '[redacted]', MODE: 'a' })
  expect(() => readEntry(file, 'three')).toThrow("has no entry of a server 'three'")
})

it('changes what differs alone: comments, layout, hidden values and the other servers stay', async () => {
  const { change, read, secrets } = aFile()
  const { version, diff } = await change((entry) => ({
    ...entry,
    args: ['one.js', '--slow'],
    description: 'The first',
  }))
  expect(version).toBeGreaterThan(0)
  expect(diff.join('\n')).not.toContain(KEY)
  expect(read()).toContain('"command": "node", // the runtime')
  expect(read()).toContain(`"API_KEY": "${KEY}"`)
  expect(read()).toContain('"args": ["one.js", "--slow"]')
  expect(read()).toContain('"description": "The first"')
  expect(secrets()).toEqual({})
})

it('stores a secret that is new, instead of writing it into the file', async () => {
  const { change, read, secrets } = aFile()
  const other = KEY.replace('ghp_a', 'ghp_b')
  await change(({ env, ...entry }) => ({ ...entry, env: { ...Object(env), API_KEY: other } }))
  expect(read()).not.toContain(other)
  const [name = ''] = Object.keys(secrets())
  expect(secrets()[name]).toBe(other)
  expect(read()).toContain(`"API_KEY": "\${${name}}"`)
})

it('refuses a value that was typed around a hidden part, and writes nothing', async () => {
  const { change, read } = aFile()
  await expect(
    change(() => ({ command: 'node', env: { API_KEY: 'Bearer [redacted]' } })),
  ).rejects.toThrow('[redacted] in it')
  expect(read()).toBe(TEXT)
})

it('refuses mistakes, and what somebody else has changed meanwhile', async () => {
  const { change, read, folder, file } = aFile()
  await expect(change(() => ({ command: 'node', args: 'one.js' }))).rejects.toThrow('args')
  const { digest } = readEntry(file, 'one')
  const edited = TEXT.replace('--fast', '--other')
  folder.write('data/mcp.json', edited)
  const late = change((entry) => ({ ...entry, description: 'x' }), { expected: digest })
  await expect(late).rejects.toThrow('was changed by somebody else')
  expect(read()).toBe(edited)
})
