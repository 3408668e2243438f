import { expect, it } from 'vitest'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { freePort } from '../support/free-port.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

async function aFolder(settings: object = {}) {
  const folder = tempFolder()
  const port = await freePort()
  folder.write('.mcp.json', { mcpServers: { notes: stdioUpstream() } })
  folder.write('portolan.yaml', { listen: { port }, ...settings })
  return { folder, port, start: async () => startGateway(folder, ['--port', String(port)]) }
}

async function printLink(folder: TempFolder): Promise<string> {
  const { stdout, code } = await runBuilt(folder, ['dashboard', '--no-browser'])
  expect(code).toBe(0)
  return stdout.trim()
}

/** A browser that follows a link. */
async function follow(page: string, { url }: RunningGateway) {
  const link = new URL(page).hash.replace('#open=', '')
  const opened = await dashboardOf(url)('POST /session', { body: { link } })
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const { proof } = opened.value
  const asPage = ({ url: at }: RunningGateway) =>
    dashboardOf(at, { cookie, 'x-portolan-dashboard': proof })
  return { opened, asPage, byCookie: dashboardOf(url, { cookie }) }
}

it.each([
  ['without keys', {}],
  ['with keys', { auth: { required: true } }],
])('the link of `portolan dashboard` signs one browser in, %s', async (_, settings) => {
  const { folder, start } = await aFolder(settings)
  const gateway = await start()
  const link = await printLink(folder)
  expect(link.startsWith(`${gateway.url}/#open=`)).toBe(true)
  const { opened, asPage, byCookie } = await follow(link, gateway)
  expect(opened.value).toMatchObject({ role: 'admin', via: 'local', mayChange: true })
  expect(opened.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/)
  const ask = asPage(gateway)
  expect((await ask('GET /me')).value.mayChange).toBe(true)
  expect((await ask('POST /config/reload')).status).toBe(200)
  expect((await byCookie('GET /overview')).status).toBe(200)
  expect((await byCookie('GET /me')).value.mayChange).toBe(false)
  expect(await byCookie('POST /config/reload')).toMatchObject({
    status: 403,
    failure: { code: 'SESSION_REQUIRED', hint: expect.stringContaining('portolan dashboard') },
  })
  expect((await follow(link, gateway)).opened).toMatchObject({
    status: 401,
    failure: { message: 'This link was used already, or is too old' },
  })
})

it('a browser stays signed in when the gateway starts again at its port, and nowhere else', async () => {
  const { folder, start } = await aFolder()
  const first = await start()
  const { asPage } = await follow(await printLink(folder), first)
  await first.close()
  expect((await asPage(await start())('GET /me')).value.mayChange).toBe(true)
  const elsewhere = await startGateway(folder)
  expect((await asPage(elsewhere)('GET /me')).value).toMatchObject({
    via: 'open',
    mayChange: false,
  })
})

it('commands act on the gateway of their own data folder without a key', async () => {
  const { folder, start } = await aFolder({ auth: { required: true } })
  const { url } = await start()
  const restarted = await runBuilt(folder, ['server', 'restart', 'notes'])
  expect(restarted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('notes was restarted'),
  })
  const home = tempFolder().path
  const at = ['dashboard', '--no-browser', '--url']
  const other = await runBuilt(folder, [...at, url], { PORTOLAN_HOME: home })
  expect(other.code).toBe(1)
  expect(other.stderr).toContain(`No gateway with the data folder ${home} answers at ${url}`)
  const far = await runBuilt(folder, [...at, 'http://192.0.2.1:7411'])
  expect(far.stderr).toContain("'http://192.0.2.1:7411' is not an address of this machine")
})
