import { expect, it } from 'vitest'
import { stdioUpstream } from '../support/start.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('says when agents cannot use what is stored, unless somebody wants it so', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { other: stdioUpstream() } })
  folder.write('docs/valves.md', '# Valves\n\nThe valve opens at 3 bar.\n')
  const ingest = ['ingest', 'docs']
  const index = ['code', 'index', 'docs']
  expect(await runBuilt(folder, ingest)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'the gateway of this folder has no knowledge server. Set builtins.knowledge: true',
    ),
  })
  expect((await runBuilt(folder, index)).stderr).toContain('has no code server')
  const doctor = await runBuilt(folder, ['doctor'])
  expect(doctor.stdout).toMatch(/⚠ code +agents cannot use this yet/)
  expect(doctor.stdout).toMatch(/⚠ knowledge +agents cannot use this yet/)

  const off = { PORTOLAN_BUILTINS_KNOWLEDGE: 'false', PORTOLAN_BUILTINS_CODE: 'true' }
  expect((await runBuilt(folder, ingest, off)).stderr).not.toContain('has no knowledge server')
  expect((await runBuilt(folder, index, off)).stderr).not.toContain('has no code server')
  expect((await runBuilt(folder, ['doctor'], off)).stdout).not.toContain('cannot use this yet')
})
