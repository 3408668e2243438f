import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'
import { fillSecrets, isSecretReference, secretReferencesIn } from './secret-references.ts'
import { substitute } from './variables.ts'

it('tells the secret of a helper from variables, defaults and references of editors', () => {
  const secrets = ['op:Private/GitHub/token', 'my-vault:a b', 'keychain:x:-y']
  expect(secrets.filter(isSecretReference)).toEqual(secrets)
  const others = ['HOME', 'A:-b', 'A:-op:x', 'user.KEY', 'env:HOME', 'input:key', 'op:', '1a:b']
  expect(others.filter(isSecretReference)).toEqual([])
})

it('leaves references to the start of the server, and fills variables', () => {
  const { value, missing } = substitute({ a: '${op:x/y} ${A}', b: '${NONE:-${A}' }, { A: 'one' })
  expect(value).toMatchObject({ a: '${op:x/y} one' })
  expect(missing).toEqual([])
})

it('fills every string once, and searches no value for further references', () => {
  const value = { env: { A: 'Bearer ${op:a}', B: '${op:b}${op:a}' }, args: ['${op:a}', 1] }
  expect(secretReferencesIn(value).map(({ ref }) => ref)).toEqual(['a', 'b'])
  const secrets = new Map([
    ['${op:a}', '${op:b}$&'],
    ['${op:b}', 'two'],
  ])
  expect(fillSecrets(value, secrets)).toEqual({
    env: { A: 'Bearer ${op:b}$&', B: 'two${op:b}$&' },
    args: ['${op:b}$&', 1],
  })
})

it.each([
  ['url', { url: 'https://x.example/${op:a}/mcp' }],
  ['command', { command: '${op:a}' }],
  ['oauth', { url: 'https://x.example/mcp', oauth: { clientSecret: '${op:a}' } }],
])('says that a reference cannot stand in %s', (key, entry) => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { s: entry } })
  const env = { HOME: folder.path }
  const { servers } = loadConfig({ cwd: folder.path, env, trust: trustEverything })
  expect(servers.get('s')).toMatchObject({
    kind: 'broken',
    error: expect.stringContaining(`\${op:a} cannot stand in "${key}"`),
  })
})

it('takes helpers from the person’s own settings only', () => {
  const folder = tempFolder()
  folder.write('.portolan/portolan.yaml', 'secrets: {helpers: {mine: [own, "{ref}"]}}')
  folder.write('one/portolan.yaml', 'secrets: {helpers: {mine: [evil], other: [evil]}}')
  const env = { HOME: folder.path }
  const { settings, warnings } = loadConfig({
    cwd: folder.file('one'),
    env,
    trust: trustEverything,
  })
  expect(settings.secrets.helpers).toEqual({ mine: ['own', '{ref}'] })
  expect(warnings.join()).toContain('"secrets" is a setting of each person')
})
