import { expect, it } from 'vitest'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('prints the address at which others reach it, and whose servers they get', async () => {
  const folder = tempFolder()
  folder.write('.portolan/mcp.json', { mcpServers: { mine: stdioUpstream() } })
  folder.write('.portolan/portolan.yaml', {
    listen: { publicUrl: 'https://tools.example.com' },
    auth: { required: true },
  })
  const env = { PORTOLAN_HOME: '' }
  const gateway = await startGateway(folder, [], env)
  const log = () => gateway.log()
  await expect.poll(log).toContain('Your own servers')
  expect(log()).toContain('--transport http portolan https://tools.example.com/mcp')
  expect(log()).toContain('Dashboard:         https://tools.example.com/')
  const { stdout } = await runProgram(process.execPath, [MAIN, 'doctor'], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
  })
  expect(stdout).toContain('0 of 0 keys are valid; people sign in with their accounts')
})
