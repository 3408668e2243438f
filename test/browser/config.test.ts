import { expect, it } from 'vitest'
import { gravely } from '../support/dashboard/axe.ts'
import { digestOf } from '../../src/config/history/change-file.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { localPass } from '../support/dashboard/local-pass.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { runProgram } from '../support/run-program.ts'
import { MAIN, startGateway } from '../support/gateway.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const NAME = '.mcp-gateway-rules.json'
const rules = (...servers: string[]) =>
  JSON.stringify({ agents: { ada: { allow: { servers } } } }, null, 2)

/** A gateway in a folder whose files nobody names, so that they need trust. */
const site = useSite(async (later: Later) => {
  const folder = tempFolder(later)
  folder.write(NAME, rules('one'))
  const env = { GATEWAY_MCP_CONFIG: '', GATEWAY_RULES: '', PORTOLAN_CONFIG: '' }
  const portolan = async (...args: string[]) =>
    runProgram(process.execPath, [MAIN, ...args], {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'],
        HOME: folder.path,
        PORTOLAN_HOME: folder.file('data'),
        PORTOLAN_ALONE: '1',
      },
    })
  await portolan('trust')
  return { ...(await startGateway(folder, [], env, later)), folder, portolan }
})

it('shows what waits for trust as `check` says it, with its diff, and trusts exactly that', async () => {
  const { gateway, visit, visitAsOwner } = site()
  const { folder, portolan } = gateway
  folder.write(NAME, rules('one', 'two'))
  const message = `${folder.file(NAME)} has changed since it was trusted: 0 changes apply now, 1 waits for your trust.`
  expect((await portolan('check')).stderr).toContain(message)
  await visit('/config', async (page) => {
    await page.getByText(message).first().waitFor()
    await page.getByText('Read it', { exact: true }).click()
    await page.getByText('+        "two"').waitFor()
    expect(await page.getByRole('button', { name: 'Trust exactly' }).count()).toBe(0)
  })
  const pass = localPass(folder.file('data'), gateway.url, 'command')
  const trust = async (digest: string, path = folder.file(NAME)) =>
    dashboardOf(gateway.url, { authorization: `Bearer ${pass}` })('POST /config/trust', {
      body: { path, digest },
    })
  // What was saved after a person has read the file was not shown, and no other file can be named.
  expect(await trust(digestOf(rules('one')))).toMatchObject({ status: 400 })
  expect(await trust('', folder.file('data/trusted.json'))).toMatchObject({ status: 404 })
  await visitAsOwner('/config', async (page) => {
    await page.getByText('Read it', { exact: true }).click()
    await page.getByText('+        "two"').waitFor()
    expect(await gravely(page)).toEqual([])
    await page.getByRole('button', { name: 'Trust exactly' }).click()
    await page.getByText(`${NAME} is trusted`).waitFor()
    await page.getByText('Waiting for your trust').waitFor({ state: 'detached' })
  })
  expect((await portolan('check')).stderr).not.toContain('trust')
  expect((await portolan('history')).stdout).toContain(`trust ${folder.file(NAME)}`)
})
