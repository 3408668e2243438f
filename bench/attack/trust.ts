import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../src/base/json/json.ts'
import { filesThatAreNamed } from './named-files.ts'
import { anotherScript } from './proposals.ts'
import type { Attack, Field } from './report.ts'
import { type Rig, until } from './rig.ts'
import { hostile } from './servers.ts'
import { MCP, RULES, TrustedFolder, ada, all, isAllowed, one } from './trusted-folder.ts'

/** From saving a denial to the first call that it refuses. */
const MAX_DENIAL_MS = 500

/** A folder whose files change after a person has trusted them, and scripts while one reads them. */
export const trust: Attack = {
  name: 'files that change after they were trusted',
  async run(field) {
    await denialsThatWait(field)
    await serversThatChange(field)
    await filesThatAreNamed(field)
    await anotherScript(field)
  },
}

/** Tries each narrower version of the rules on a gateway that runs, and on one that starts. */
async function denialsThatWait(field: Field): Promise<void> {
  const trusted = ada({ allow: all })
  const denials: Readonly<Record<string, unknown>> = {
    'a denied tool': ada({ allow: all, deny: { tools: { one: ['echo'] } } }),
    'a denied server': ada({ allow: all, deny: { servers: ['one'] } }),
    'a denied effect': ada({ allow: all, deny: { effects: ['read', 'write', 'delete'] } }),
    'a narrower list of tools': ada({ allow: { ...all, tools: { one: ['secret'] } } }),
    'a narrower list of servers': ada({ allow: { servers: ['two'] } }),
    'an agent that is removed': { agents: { bob: { allow: all } } },
    'a group that denies': {
      ...trusted,
      groups: { all: { match: { agent: '*' }, deny: { tools: { '*': ['echo'] } } } },
    },
  }
  for (const [name, rules] of Object.entries(denials)) {
    const folder = new TrustedFolder({ [MCP]: { mcpServers: one }, [RULES]: trusted })
    const rig = await folder.start()
    await field.try(`${name}: allowed before`, async () => isAllowed(rig, 'ada'))
    const saved = performance.now()
    folder.write(RULES, rules)
    await field.try(`${name}, after ${MAX_DENIAL_MS} ms`, async () => {
      const isDenied = await until(async () => !(await isAllowed(rig, 'ada')), 5_000)
      return isDenied === true && performance.now() - saved <= MAX_DENIAL_MS
    })
    folder.write(RULES, '{ "agents":')
    await field.try(`${name}, then a file that is cut off`, async () => {
      await sleep(MAX_DENIAL_MS)
      return !(await isAllowed(rig, 'ada'))
    })
    rmSync(join(folder.path, RULES))
    await field.try(`${name}, then no file`, async () => {
      await sleep(MAX_DENIAL_MS)
      return !(await isAllowed(rig, 'ada'))
    })
    folder.write(RULES, rules)
    const again = await folder.start()
    await field.try(
      `${name}, in a gateway that starts`,
      async () => !(await isAllowed(again, 'ada')),
    )
    await folder.discard()
  }
  await grantsThatWait(field)
}

async function grantsThatWait(field: Field): Promise<void> {
  const trusted = ada({ allow: { ...all, tools: { one: ['secret'] } } })
  const grants: Readonly<Record<string, unknown>> = {
    'another agent': { ...ada({ allow: all }, { bob: { allow: all } }) },
    'agents that nobody names': {
      ...trusted,
      groups: { all: { match: { agent: '*' }, allow: all } },
      defaults: { deny_on_missing_agent: false },
    },
    'no agents at all': { agents: {} },
  }
  for (const [name, rules] of Object.entries(grants)) {
    const folder = new TrustedFolder({ [MCP]: { mcpServers: one }, [RULES]: trusted })
    const rig = await folder.start()
    folder.write(RULES, rules)
    await sleep(MAX_DENIAL_MS)
    const again = async () => folder.start()
    for (const agent of ['ada', 'bob'])
      await field.try(`${name}: ${agent}`, async () => !(await isAllowed(rig, agent)))
    const started = await again()
    for (const agent of ['ada', 'bob'])
      await field.try(
        `${name}: ${agent}, in a gateway that starts`,
        async () => !(await isAllowed(started, agent)),
      )
    await folder.discard()
  }
  const front = new TrustedFolder({ [MCP]: { mcpServers: one }, [`config/${RULES}`]: trusted })
  const rig = await front.start()
  front.write(RULES, ada({ allow: all }))
  await sleep(MAX_DENIAL_MS)
  await field.try('a file in front of the trusted one', async () => !(await isAllowed(rig, 'ada')))
  const started = await front.start()
  await field.try(
    'a file in front of the trusted one, in a gateway that starts',
    async () => !(await isAllowed(started, 'ada')),
  )
  await front.discard()
}

const mark = (folder: TrustedFolder) => join(folder.path, 'ran')

const runs = (folder: TrustedFolder) => ({
  command: 'sh',
  args: ['-c', `touch ${mark(folder)}; cat`],
})

const reach = async (at: Rig) => {
  for (const server of ['one', 'evil']) await isAllowed(at, 'ada', 'echo', server)
}

async function serversThatChange(field: Field): Promise<void> {
  const changes: Readonly<Record<string, (folder: TrustedFolder) => JsonObject>> = {
    'a server that is removed': () => ({ two: hostile() }),
    'a server that is disabled': () => ({ ...one, one: { ...one.one, disabled: true } }),
    'a tool that is switched off': () => ({ one: { ...one.one, disabled_tools: ['echo'] } }),
    'a list of other tools': () => ({ one: { ...one.one, enabled_tools: ['secret'] } }),
    'a server that is removed, and one that is added': (folder) => ({ evil: runs(folder) }),
    'a server that is disabled, with another command': (folder) => ({
      one: { ...runs(folder), disabled: true },
    }),
  }
  for (const [name, change] of Object.entries(changes)) {
    const folder = new TrustedFolder({ [MCP]: { mcpServers: one }, [RULES]: ada({ allow: all }) })
    const rig = await folder.start()
    await isAllowed(rig, 'ada')
    folder.write(MCP, { mcpServers: change(folder) })
    await field.try(name, async () =>
      Boolean(await until(async () => !(await isAllowed(rig, 'ada')), 2_000)),
    )
    await field.try(`${name}: nothing new runs`, async () => {
      await reach(rig)
      await reach(await folder.start())
      return !existsSync(mark(folder))
    })
    await folder.discard()
  }
}
