import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aSpec } from '../../../test/support/a-spec.ts'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

const spec = aSpec(
  {
    '/pets/{id}': { get: { operationId: 'pets/get', summary: 'One pet', responses: {} } },
    '/pets': { options: { operationId: 'ask', responses: {} } },
  },
  { info: { title: 'Pet Shop', version: '1' } },
)

it('inspects a description: tools, tokens, what was dropped or renamed and why', async () => {
  const folder = tempFolder()
  folder.write('pets.json', spec)
  const { code, stdout } = await runCli(folder, ['api', 'inspect', 'pets.json'])
  expect(code).toBe(0)
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'Pet Shop (OpenAPI 3.1.0)',
    expect.stringMatching(/^2 operations → 1 tools, \d+ tokens when all are listed$/),
  ])
  expect(stdout).toContain('OPTIONS /pets: the method is about HTTP')
  expect(stdout).toContain('pets/get → pets_get: the name had illegal characters')
})

it('inspects as JSON on stdout', async () => {
  const folder = tempFolder()
  folder.write('pets.json', spec)
  const { stdout } = await runCli(folder, ['api', 'inspect', 'pets.json', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ operations: 2, tools: 1, shortened: [] })
})

it('starts a pack that can be inspected once it is trusted, and does not overwrite it', async () => {
  const folder = tempFolder()
  folder.write('pets.json', spec)
  const made = await runCli(folder, ['api', 'new', 'pets.json'])
  expect(made.stderr).toContain('portolan api pet-shop')
  expect(readFileSync(folder.file('apis/pet-shop/pack.yaml'), 'utf8')).toContain('name: pets_get')
  expect((await runCli(folder, ['trust'])).code).toBe(0)
  expect((await runCli(folder, ['api', 'inspect', 'pet-shop'])).code).toBe(0)
  const again = await runCli(folder, ['api', 'new', 'pets.json'])
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('Cannot write') })
})

it('says which packs there are when a name is unknown', async () => {
  const { code, stderr } = await runCli(tempFolder(), ['api', 'inspect', 'nsipp'])
  expect(code).toBe(1)
  expect(stderr).toContain('There is no API pack "nsipp". Known packs: nsip;')
})
