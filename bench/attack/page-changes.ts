import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { localPass } from '../../test/support/dashboard/local-pass.ts'
import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const MARKED = { 'x-portolan-dashboard': '1' }
/** Every request that changes something; a test compares it with the routes. */
export const CHANGES = [
  '/config/reload',
  '/config/trust',
  '/servers/one/restart',
  '/servers/one/enabled',
  '/servers/one/test',
  '/servers/one/remove',
  '/servers/one/review',
  '/capture',
  '/keys',
  '/users',
  '/users/ada',
  '/users/ada/disable',
  '/users/ada/remove',
  '/rules/apply',
  '/knowledge/delete',
  '/connections/keys',
  '/scripts',
  '/scripts/decide',
  '/run',
  '/servers/search',
  '/servers/plan',
  '/servers/add',
  '/servers/one/entry',
  '/servers/one/duplicate',
  '/servers/one/tools/echo',
  '/connections/one/sign-in',
  '/connections/one/sign-out',
  '/keys/one/revoke',
  '/sessions/one/end',
  '/history/1/rollback',
  '/approvals/one/answer',
  '/rules/apply',
  '/code/index',
  '/knowledge/ingest',
  '/traces/one/moderate',
  '/runs/one/save',
]
const NOBODY = 65_534

/** Without keys, only the person of the data folder may change something through the pages. */
export const pageChanges: Attack = {
  name: 'changes through the dashboard, without its session',
  async run(field) {
    const rig = await Rig.open({ servers: { one: hostile() } })
    const home = join(rig.folder, 'home')
    const post = async (path: string, headers: Record<string, string>, body: object = {}) => {
      const all = { ...MARKED, ...headers }
      const request = { method: 'POST', headers: all, body: JSON.stringify(body) }
      return fetch(`${rig.url}/api/dashboard${path}`, request)
    }
    const isRefused = async (path: string, headers: Record<string, string> = {}) =>
      [401, 403].includes((await post(path, headers)).status)
    const reload = CHANGES[0] ?? ''
    const link = () => localPass(home, rig.url, 'link')
    const opened = await post('/session', {}, { link: link() })
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    const { proof }: { proof: string } = JSON.parse(await opened.text())

    await field.try('control: the session may change something', async () => {
      const answer = await post(reload, { cookie, 'x-portolan-dashboard': proof })
      return answer.status === 200
    })
    for (const path of CHANGES)
      await field.try(`an agent with curl: ${path}`, async () => isRefused(path))
    await field.try('a server at another port, to which a browser has sent the cookie', async () =>
      isRefused(reload, { cookie }),
    )
    await field.try('a page of another site, in the browser of the person', async () =>
      isRefused(reload, { cookie, 'x-portolan-dashboard': proof, origin: 'https://evil.example' }),
    )
    await field.try('a page of another port', async () =>
      isRefused(reload, { cookie, 'x-portolan-dashboard': proof, origin: 'http://127.0.0.1:3000' }),
    )
    const used = link()
    await post('/session', {}, { link: used })
    await field.try(
      'a link that was used',
      async () => (await post('/session', {}, { link: used })).status === 401,
    )
    const forged: Record<string, string> = {
      'a link as a credential': link(),
      'a session as a credential': cookie.slice(cookie.indexOf('=') + 1),
      'a pass of another port': localPass(home, 'http://127.0.0.1:1'),
      'a pass of another data folder': localPass(join(rig.folder, 'other'), rig.url),
      'a pass with another end': `${localPass(home, rig.url).slice(0, -2)}AA`,
      'a pass without a signature': localPass(home, rig.url).replace(/\.[^.]*$/, '.'),
    }
    for (const [name, pass] of Object.entries(forged))
      await field.try(name, async () => isRefused(reload, { authorization: `Bearer ${pass}` }))
    await field.try('a pass at the MCP endpoint', async () => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${localPass(home, rig.url)}`,
      }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      return (await fetch(`${rig.url}/mcp`, { method: 'POST', headers, body })).status === 401
    })
    await field.try('the secret of the passes is for its owner alone', () => {
      const mode = spawnSync('stat', ['-c', '%a', join(home, 'local-secret')], { encoding: 'utf8' })
      return mode.stdout.trim() === '600'
    })
    await field.try('nothing that was refused is in the audit as done', async () => {
      const audit = join(home, 'audit.jsonl')
      // Lines are written in batches.
      for (let tries = 0; tries < 50 && !existsSync(audit); tries += 1) await sleep(100)
      const lines = readFileSync(audit, 'utf8').split('\n')
      const done = lines.filter(
        (line) => line.includes('"ALLOW"') && /reload|keys\.|servers\./.test(line),
      )
      return done.length === 1
    })
    // Becoming another user needs root.
    if (process.getuid?.() === 0 && existsSync('/usr/bin/curl')) {
      chmodSync(rig.folder, 0o755)
      const asNobody = (seen: string) => {
        const words = ['-s', '-H', 'x-portolan-dashboard: 1', '-d', JSON.stringify({ link: seen })]
        const url = `${rig.url}/api/dashboard/session`
        const user = { uid: NOBODY, gid: NOBODY, encoding: 'utf8' } as const
        return spawnSync('/usr/bin/curl', [...words, url], user).stdout
      }
      await field.try('another user who read the link in the list of processes', async () => {
        const seen = link()
        const isOut = asNobody(seen).includes('FORBIDDEN_USER')
        return isOut && (await post('/session', {}, { link: seen })).status === 200
      })
      await field.try('another user who reads the secret', () => {
        const user = { uid: NOBODY, gid: NOBODY, encoding: 'utf8' } as const
        return spawnSync('cat', [join(home, 'local-secret')], user).status !== 0
      })
    }
    await rig.discard()
  },
}
