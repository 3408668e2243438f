import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { join } from 'node:path'
import type { Attack } from './report.ts'
import { MAIN, Rig } from './rig.ts'
import { hostile } from './servers.ts'

const run = promisify(execFile)

/** Names and credentials that should not open the one tool that is denied. */
export const credentials: Attack = {
  name: 'credentials and names',
  async run(field) {
    const rig = await Rig.open({
      servers: { vault: hostile(), open: hostile() },
      rules: {
        agents: {
          admin: { allow: { servers: ['*'] } },
          low: { allow: { servers: ['open'] }, deny: { tools: { open: ['secret'] } } },
        },
        defaults: { deny_on_missing_agent: true },
      },
      settings: { auth: { required: true } },
    })
    const env = {
      PATH: process.env['PATH'],
      HOME: rig.folder,
      PORTOLAN_HOME: join(rig.folder, 'home'),
    }
    const key = async (agent: string) => {
      const { stdout } = await run(process.execPath, [MAIN, 'keys', 'create', agent], {
        cwd: rig.folder,
        env,
      })
      return /ptk_\S+/.exec(stdout)?.[0] ?? ''
    }
    const [admin, low] = [await key('admin'), await key('low')]
    await field.try('the admin may', async () =>
      (await rig.call('vault__secret', {}, as(admin))).includes('TOPSECRET'),
    )
    const bad: Readonly<Record<string, Record<string, string>>> = {
      none: {},
      empty: { authorization: 'Bearer ' },
      basic: { authorization: `Basic ${Buffer.from(`admin:${admin}`).toString('base64')}` },
      'made up': { authorization: `Bearer ptk_${'a'.repeat(43)}` },
      'cut off': { authorization: `Bearer ${admin.slice(0, -1)}` },
      'one more': { authorization: `Bearer ${admin}x` },
      'other case': { authorization: `Bearer ${admin.toUpperCase()}` },
      'a claim alone': { 'x-agent-id': 'admin' },
      'alg none': {
        authorization: `Bearer ${forged({ alg: 'none' }, { sub: 'admin', exp: 4e9 })}`,
      },
      'alg HS256': {
        authorization: `Bearer ${forged({ alg: 'HS256' }, { sub: 'admin', exp: 4e9 })}x`,
      },
      'a handle made up': { authorization: `Bearer pth_${'a'.repeat(40)}` },
      'a query': { 'x-original-url': `/mcp?key=${admin}` },
      cookie: { cookie: `portolan=${admin}` },
      'null byte': { authorization: `Bearer ${admin}%00` },
    }
    for (const [name, headers] of Object.entries(bad))
      await field.try(`credential: ${name}`, async () => {
        const { status, text } = await rig.request(
          'tools/call',
          { name: 'vault__secret', arguments: {} },
          { headers },
        )
        return !text.includes('TOPSECRET') && status === 401
      })
    for (const claim of [
      'admin',
      'Admin',
      'low,admin',
      'low<admin',
      '*',
      '__proto__',
      'constructor',
    ])
      for (const place of ['header', 'argument'] as const)
        await field.try(`low claims to be ${claim} by ${place}`, async () => {
          const headers = {
            authorization: `Bearer ${low}`,
            ...(place === 'header' && { 'x-agent-id': claim }),
          }
          const args = {
            server: 'vault',
            tool: 'secret',
            args: {},
            ...(place === 'argument' && { agent_id: claim }),
          }
          return !(await rig.call('execute_tool', args, { headers })).includes('TOPSECRET')
        })
    const names = [
      'vault__secret',
      'vault.secret',
      'VAULT__secret',
      'vault__SECRET',
      ' vault__secret',
      'vault__secret ',
      'vault__secret\u0000',
      'vault__s%65cret',
      'vault___secret',
      'open__secret',
      'open.secret',
      'secret',
      'open__secre\u0074',
      'open__s\u00ADecret',
      'open__\u200Bsecret',
      'open__*',
      'open__secret__',
      'open//secret',
      'open__../vault__secret',
      '__proto__',
      'constructor',
      'open__ſecret',
      'open__SECRET',
      'ｏpen__secret',
    ]
    for (const name of names)
      await field.try(
        `low calls ${JSON.stringify(name)}`,
        async () => !(await rig.call(name, {}, as(low))).includes('TOPSECRET'),
      )
    for (const [server, tool] of [
      ['vault', 'secret'],
      ['Vault', 'secret'],
      ['open', 'secret'],
      ['open', 'SECRET'],
      ['open', 'secret '],
      ['open ', 'secret'],
      ['*', 'secret'],
      ['open', '*'],
      ['open', 's?cret'],
      ['', 'open__secret'],
      ['open', 'open__secret'],
    ])
      await field.try(
        `low executes ${JSON.stringify([server, tool])}`,
        async () =>
          !(await rig.call('execute_tool', { server, tool, args: {} }, as(low))).includes(
            'TOPSECRET',
          ),
      )
    await field.try('what low may not see is in no list', async () => {
      const lists = await Promise.all([
        rig.call('list_servers', { include_metadata: true }, as(low)),
        rig.call('find_tools', { query: 'secret vault' }, as(low)),
        rig.call('get_server_tools', { server: 'open' }, as(low)),
        rig.request('tools/list', {}, as(low)).then(({ text }) => text),
        rig.call('get_gateway_status', {}, as(low)),
      ])
      return lists.every((text) => !text.includes('vault') && !text.includes('Does secret'))
    })
    await rig.discard()
  },
}

function as(secret: string) {
  return { headers: { authorization: `Bearer ${secret}` } }
}

/** A token without a signature. */
function forged(header: object, claims: object): string {
  const parts = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${parts.join('.')}.`
}
