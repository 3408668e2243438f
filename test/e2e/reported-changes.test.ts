import { expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { MAIN, startGateway } from '../support/gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('trust and secrets say what they have done to the servers of the gateway that runs', async () => {
  const folder = tempFolder()
  const port = await freePort()
  folder.write('.mcp.json', {
    mcpServers: { one: { ...stdioUpstream(), env: { KEY: '${NEEDED}' } } },
  })
  folder.write('data/portolan.yaml', { listen: { port } })
  const own = {
    PORTOLAN_HOME: folder.file('data'),
    GATEWAY_MCP_CONFIG: '',
    PORTOLAN_KEYRING: 'off',
  }
  const env = { PATH: process.env['PATH'], HOME: folder.path, ...own }
  const portolan = async (words: readonly string[], input = '') => {
    const ran = await runProgram(process.execPath, [MAIN, ...words], {
      cwd: folder.path,
      env,
      input,
    })
    return ran.stdout + ran.stderr
  }
  await startGateway(folder, ['--port', String(port)], own)
  expect(await portolan(['trust'])).toContain('one is down: Environment variable "NEEDED"')
  expect(await portolan(['secrets', 'set', 'NEEDED'], 'a value\n')).toContain(
    `the gateway at http://127.0.0.1:${port}: one is there, and starts when it is used`,
  )
  expect(await portolan(['secrets', 'set', 'ANOTHER'], 'a value\n')).toContain(
    'has it; none of its servers has changed',
  )
  expect(await portolan(['secrets', 'remove', 'NEEDED'])).toContain('one is down')
  expect(await portolan(['trust', '--revoke'])).toContain('one is gone')
})
