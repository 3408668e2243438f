import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { aTrustedFolder } from '../../test/support/trusted-folder.ts'
import { recordTrust, revokeTrust } from './trust/record-trust.ts'
import { createPolicy } from '../gateway/agents/policy.ts'
import type { Decision } from '../gateway/agents/decision.ts'
import { type Config, loadConfig } from './load.ts'

const RULES = '.mcp-gateway-rules.json'

function may(config: Config, server: string, tool: string, agent = 'ada'): Decision['effect'] {
  const { rules, denials, changedRules: also } = config
  return createPolicy(rules, { denials, also }).tool({ id: agent }, server, tool).effect
}

const everything = { servers: ['*'] }
const rules = (ada: object, others: object = {}) => ({ agents: { ada, ...others } })

const deny = (...patterns: string[]) =>
  rules({ allow: everything, deny: { tools: { crm: patterns } } })
const twice = (...each: string[]) => [each, each]

describe('rules that have changed since they were trusted', () => {
  const before = rules(
    { allow: { servers: ['crm'], tools: { crm: ['read', 'write'] } } },
    { bob: { allow: everything } },
  )

  it.each([
    [
      'a denial',
      rules(
        { allow: everything, deny: { tools: { crm: ['write'] } } },
        { bob: { allow: everything } },
      ),
      'bob',
      'allow',
    ],
    [
      'a narrower list',
      rules({ allow: { ...everything, tools: { crm: ['read'] } } }),
      'bob',
      'deny',
    ],
    [
      'a group',
      {
        ...rules({ allow: everything }, { bob: {} }),
        groups: { all: { match: { agent: '*' }, deny: { effects: ['write'] } } },
      },
      'bob',
      'deny',
    ],
  ])('take away at once what %s takes away, and grant nothing', async (_, after, other, effect) => {
    const { cwd, both } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, after)
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
      expect(may(config, 'docs', 'update', other)).toBe(effect)
    }
  })

  it('refuse an agent that they no longer name, and do not know one that they name now', async () => {
    const { cwd, both } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, rules({ allow: everything }, { eve: { allow: everything } }))
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'read', 'bob')).toBe('deny')
      expect(may(config, 'crm', 'read', 'eve')).toBe('deny')
      expect(config.leftOut).toMatchObject([
        {
          message: `${cwd.file(RULES)} has changed since it was trusted: 2 changes apply now, 3 wait for your trust.`,
          changes: {
            inForce: expect.arrayContaining([
              'agent "bob" removed',
              'agent "ada": allow.servers "crm" removed',
            ]),
            waiting: expect.arrayContaining([
              'agent "eve" added',
              'agent "ada": allow.servers "*" added',
            ]),
          },
        },
      ])
    }
  })

  it('are followed through every edit, until they are trusted or as they were', async () => {
    const { cwd, both, trust } = aTrustedFolder({ [RULES]: before })
    const effects = async () =>
      Object.values(await both()).map((config) =>
        ['read', 'write', 'delete'].map((tool) => may(config, 'crm', tool)),
      )
    cwd.write(RULES, deny('write'))
    expect(await effects()).toEqual(twice('allow', 'deny', 'deny'))
    cwd.write(RULES, deny('read'))
    expect(await effects()).toEqual(twice('deny', 'allow', 'deny'))
    cwd.write(RULES, before)
    expect(await effects()).toEqual(twice('allow', 'allow', 'deny'))
    cwd.write(RULES, deny('read'))
    trust(RULES)
    expect(await effects()).toEqual(twice('deny', 'allow', 'allow'))
  })

  it('grant nothing when the file becomes bad or disappears, and what was taken away stays away', async () => {
    const { cwd, watcher, place } = aTrustedFolder({ [RULES]: before })
    cwd.write(RULES, rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    await watcher.reload()
    cwd.write(RULES, '{ not JSON')
    const isNarrow = (config: Config) => {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
    isNarrow(await watcher.reload())
    expect(watcher.current.leftOut[0]?.message).toContain('has mistakes, so nothing of it')
    // A gateway that starts now knows only what was trusted.
    expect(may(loadConfig(place), 'docs', 'read')).toBe('deny')
    rmSync(cwd.file(RULES))
    isNarrow(await watcher.reload())
    expect(watcher.status.gateway_rules.last_error).toContain('file not found')
  })

  it('do not hold up the denials of the person', async () => {
    const { cwd, home, watcher } = aTrustedFolder({ [RULES]: rules({ allow: everything }) })
    home.write('.portolan/rules.json', rules({}, { bob: { allow: everything } }))
    await watcher.reload()
    for (const changed of [rules({ allow: { servers: ['crm'] } }), '{ not JSON']) {
      home.write('.portolan/rules.json', rules({}, { bob: { allow: everything } }))
      expect(may(await watcher.reload(), 'crm', 'read', 'bob')).toBe('allow')
      cwd.write(RULES, changed)
      home.write(
        '.portolan/rules.json',
        rules({}, { bob: { allow: everything, deny: everything } }),
      )
      expect(may(await watcher.reload(), 'crm', 'read', 'bob')).toBe('deny')
    }
    rmSync(cwd.file(RULES))
    home.write(
      '.portolan/rules.json',
      rules({}, { bob: { deny: { servers: ['docs'] }, allow: everything } }),
    )
    const config = await watcher.reload()
    expect(may(config, 'crm', 'read', 'bob')).toBe('allow')
    expect(may(config, 'docs', 'read', 'bob')).toBe('deny')
  })

  it('are narrowed by content that a person declined, and dropped when trust is revoked', async () => {
    const { cwd, place, both } = aTrustedFolder({ [RULES]: before })
    const text = JSON.stringify(rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    cwd.write(RULES, text)
    recordTrust(place, [{ path: cwd.file(RULES), text }], 'declined')
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
    revokeTrust(place, cwd.path)
    for (const config of Object.values(await both())) expect(config.rules).toBeUndefined()
  })

  it('are never wider than the new content where the trusted text is not stored', () => {
    const { cwd, home, place } = aTrustedFolder({ [RULES]: before })
    const list = JSON.parse(home.read('.portolan/trusted.json'))
    for (const file of list.files) delete file.text
    home.write('.portolan/trusted.json', list)
    cwd.write(RULES, rules({ allow: { servers: ['crm'], tools: { crm: ['read'] } } }))
    const config = loadConfig(place)
    expect(may(config, 'crm', 'read')).toBe('allow')
    expect(may(config, 'crm', 'write')).toBe('deny')
    expect(may(config, 'docs', 'read', 'bob')).toBe('deny')
    cwd.write(RULES, '{ not JSON')
    expect(() => loadConfig(place)).toThrow('is not valid JSON')
  })

  it('are not replaced by a file that somebody adds in front of them', async () => {
    const { cwd, both } = aTrustedFolder({ [`config/${RULES}`]: before })
    cwd.write(RULES, rules({ allow: everything, deny: { tools: { crm: ['write'] } } }))
    for (const config of Object.values(await both())) {
      expect(may(config, 'crm', 'read')).toBe('allow')
      expect(may(config, 'crm', 'write')).toBe('deny')
      expect(may(config, 'docs', 'read')).toBe('deny')
    }
  })
})

describe('toolsets of a file that has changed since it was trusted', () => {
  it('lose at once the tools that a changed file takes away, and wait for what it adds', async () => {
    const SETTINGS = 'portolan.yaml'
    const web = { tools: ['figma.*', 'github.*'], surface: 'direct' }
    const { cwd, watcher } = aTrustedFolder({ [SETTINGS]: { toolsets: { web } } })
    const save = (tools: string[]) =>
      cwd.write(SETTINGS, { toolsets: { web: { ...web, tools }, more: { tools: ['crm.*'] } } })
    save(['figma.*', 'crm.*'])
    expect((await watcher.reload()).settings.toolsets).toEqual({
      web: { tools: ['figma.*'], surface: 'direct', defaultFor: [] },
    })
    cwd.write(SETTINGS, {})
    expect((await watcher.reload()).settings.toolsets).toMatchObject({ web })
  })
})
