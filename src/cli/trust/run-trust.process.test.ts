import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('prints a command for undoing that a shell understands', async () => {
  const folder = tempFolder()
  folder.write('my project/.mcp.json', { mcpServers: {} })
  const { stdout } = await runCli(folder, ['trust', 'my project'])
  expect(stdout).toContain(`Undo: portolan trust --revoke '${folder.file('my project')}'`)
})

it('lists a file that a trusted servers file names and that has changed since', async () => {
  const folder = tempFolder()
  folder.write('project/.env', 'A=1')
  folder.write('project/.mcp.json', { mcpServers: { one: { command: 'x', envFile: '.env' } } })
  await runCli(folder, ['trust', 'project'])
  const list = async () => JSON.parse((await runCli(folder, ['trust', '--list', '--json'])).stdout)
  expect(await list()).toMatchObject([{ state: 'trusted' }])
  folder.write('project/.env', 'NODE_OPTIONS=--require=/evil.js')
  expect(await list()).toMatchObject([
    { path: folder.file('project/.mcp.json'), state: 'trusted' },
    { path: folder.file('project/.env'), state: 'changed' },
  ])
})
