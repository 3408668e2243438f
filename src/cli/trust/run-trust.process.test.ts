import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('prints a command for undoing that a shell understands', async () => {
  const folder = tempFolder()
  folder.write('my project/.mcp.json', { mcpServers: {} })
  const { stdout } = await runCli(folder, ['trust', 'my project'])
  expect(stdout).toContain(`Undo: portolan trust --revoke '${folder.file('my project')}'`)
})
