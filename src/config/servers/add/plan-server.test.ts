import { expect, it } from 'vitest'
import { SNAPSHOT } from '../../../../test/support/a-registry.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { type ServerSource, checkProgram, planServers, toSource } from './plan-server.ts'

const PATH = process.env['PATH']

async function plan(source: ServerSource, name?: string, wanted?: boolean) {
  const folder = tempFolder()
  const place = { cwd: folder.path, env: { PATH } }
  const options = { name, place, home: folder.path, registries: [SNAPSHOT] }
  return planServers(source, { ...options, sandbox: { isPossible: true, wanted } })
}

it.each<[string, ServerSource]>([
  ['npx -y some-server .', { kind: 'command', words: ['npx', '-y', 'some-server', '.'] }],
  [
    `sh -c 'a "b" c' "d e" f\\ g`,
    { kind: 'command', words: ['sh', '-c', 'a "b" c', 'd e', 'f g'] },
  ],
  ['https://mcp.example/mcp', { kind: 'url', url: 'https://mcp.example/mcp' }],
  [
    'https://api.example/openapi.json',
    { kind: 'openapi', openapi: 'https://api.example/openapi.json' },
  ],
  ['specs/shop.yaml', { kind: 'openapi', openapi: 'specs/shop.yaml' }],
  [' {"a": 1} ', { kind: 'json', text: '{"a": 1}' }],
  ['"a": {"command": "x"}', { kind: 'json', text: '"a": {"command": "x"}' }],
  [
    'io.github.upstash/context7@1.0.0',
    { kind: 'registry', registryName: 'io.github.upstash/context7', version: '1.0.0' },
  ],
  ['node_modules/.bin/x', { kind: 'command', words: ['node_modules/.bin/x'] }],
  ['./bin/server', { kind: 'command', words: ['./bin/server'] }],
])('recognises %s', (text, source) => {
  expect(toSource(text)).toEqual(source)
})

it('puts programs of a registry into a sandbox where that is possible, and others where it is wanted', async () => {
  const registry = { kind: 'registry', registryName: 'io.github.upstash/context7' } as const
  const [one] = await plan(registry)
  expect(one).toMatchObject({ name: 'context7', entry: { sandbox: true } })
  expect((await plan(registry, 'c', false))[0]?.entry['sandbox']).toBeUndefined()
  const command = { kind: 'command', words: ['node', 'x.js'] } as const
  expect((await plan(command, 'c'))[0]?.entry).toEqual({ command: 'node', args: ['x.js'] })
  expect((await plan(command, 'c', true))[0]?.entry['sandbox']).toBe(true)
})

it.each(['a b', '', '../x', 'a/b', 'a\nb', '-x', 'a'.repeat(65)])(
  'refuses %j as a name',
  async (name) => {
    await expect(plan({ kind: 'builtin', builtin: 'code' }, name)).rejects.toThrow(
      'cannot be the name of a server',
    )
  },
)

it('refuses a program that is not there, or a whole line, with the right command', () => {
  const place = { cwd: '/', env: { PATH } }
  const hintFor = (entry: object) => {
    try {
      checkProgram('shop', { ...entry }, place)
      return undefined
    } catch (error) {
      return Reflect.get(Object(error), 'details').hint
    }
  }
  expect(hintFor({ command: 'node' })).toBeUndefined()
  expect(hintFor({ command: '${NODE}' })).toBeUndefined()
  expect(hintFor({ command: 'nosuchprogram' })).toContain('--no-test')
  expect(hintFor({ command: 'node server.js' })).toContain('add shop -- node server.js')
})

it('refuses a description as a program or a URL, and says how to add it', async () => {
  for (const source of [
    { kind: 'command', words: ['spec.yaml'] },
    { kind: 'url', url: 'https://api.example/openapi.json' },
  ] as const)
    await expect(plan(source, 'shop')).rejects.toMatchObject({
      details: { hint: expect.stringContaining('portolan server add shop --openapi ') },
    })
})
