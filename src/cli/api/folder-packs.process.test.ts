import { existsSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aSpec } from '../../../test/support/a-spec.ts'
import { runCli } from '../../../test/support/run-cli.ts'
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'

const spec = aSpec({ '/pets': { get: { operationId: 'pets', responses: {} } } })

/** Writes a pack whose code leaves the file `ran` behind. */
function writePack(folder: TempFolder, name: string, baseUrl = 'https://pets.example') {
  folder.write(`apis/${name}/openapi.json`, spec)
  folder.write(`apis/${name}/extension.mjs`, `import './helper.mjs'\nexport default {}\n`)
  const ran = JSON.stringify(folder.file('ran'))
  folder.write(
    `apis/${name}/helper.mjs`,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${ran}, '')\n`,
  )
  folder.write(`apis/${name}/pack.yaml`, {
    openapi: './openapi.json',
    name,
    baseUrl,
    extension: './extension.mjs',
  })
}

it('runs no code of a pack in a folder that nobody has trusted, whatever its name', async () => {
  const folder = tempFolder()
  writePack(folder, 'nsip')
  writePack(folder, 'pets')
  folder.write('data/mcp.json', { mcpServers: { sheep: { openapi: 'nsip' } } })
  const alone = { PORTOLAN_LISTEN_PORT: '1' }
  expect((await runCli(folder, ['call', 'list_servers'], alone)).code).toBe(0)
  const inspected = await runCli(folder, ['api', 'inspect', 'nsip', '--json'])
  expect(inspected.stdout).toContain('nsip_')
  const pets = await runCli(folder, ['api', 'inspect', 'pets'])
  expect(pets).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`portolan trust ${folder.path}`),
  })
  for (const more of [['count'], ['--demo'], []])
    expect(await runCli(folder, ['api', 'pets', ...more])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not trusted'),
    })
  expect(existsSync(folder.file('ran'))).toBe(false)
})

it('fills no variable from the environment before the pack is trusted', async () => {
  const folder = tempFolder()
  writePack(folder, 'pets', 'https://${MY_TOKEN}.evil.example')
  const untrusted = await runCli(folder, ['api', 'inspect', 'pets'], { MY_TOKEN: 'a b' })
  expect(untrusted.stderr).toContain('is not trusted')
})

it('uses a trusted pack, until one of its files changes', async () => {
  const folder = tempFolder()
  writePack(folder, 'pets')
  const trusted = await runCli(folder, ['trust'])
  expect(trusted.stdout).toContain(`${folder.file('apis/pets')} is trusted`)
  expect(trusted.stdout).toContain('runs the code of ./extension.mjs')
  expect(await runCli(folder, ['api', 'inspect', 'pets'])).toMatchObject({ code: 0 })
  expect(existsSync(folder.file('ran'))).toBe(true)
  folder.write('apis/pets/helper.mjs', 'process.exit(7)\n')
  expect(await runCli(folder, ['api', 'inspect', 'pets'])).toMatchObject({ code: 1 })
  expect((await runCli(folder, ['trust', '--list'])).stdout).toContain('changed since')
  expect((await runCli(folder, ['trust', '--revoke'])).stdout).toContain('no longer trusted')
})

it('does not use a pack that is a link, or that leads out of its folder', async () => {
  const [folder, elsewhere] = [tempFolder(), tempFolder()]
  writePack(elsewhere, 'pets')
  symlinkSync(elsewhere.file('apis'), folder.file('apis'))
  expect((await runCli(folder, ['api', 'inspect', 'pets'])).code).toBe(1)
  const other = tempFolder()
  writePack(other, 'pets')
  other.write('evil.mjs', other.read('apis/pets/helper.mjs'))
  other.write('apis/pets/pack.yaml', { openapi: './openapi.json', extension: '../../evil.mjs' })
  await runCli(other, ['trust'])
  expect(await runCli(other, ['api', 'inspect', 'pets'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('outside'),
  })
  expect(existsSync(elsewhere.file('ran')) || existsSync(other.file('ran'))).toBe(false)
})
