import { describe, expect, it } from 'vitest'
import { APPROVALS } from './settings/approval-effects.ts'
import { EMBEDDING, SEARCHERS } from './settings/builtin-effects.ts'
import { CONTEXT, LIMITS } from './settings/call-effects.ts'
import type { Effects } from './settings/effect.ts'
import { JWT } from './settings/jwt-effects.ts'
import { AUTH, LISTEN } from './settings/listen-effects.ts'
import { BUILTIN_SERVERS, DATABASE, RECORDS, UPSTREAMS } from './settings/operation-effects.ts'
import { SERVER_KEYS, observeServer } from './settings/server-effects.ts'
import { documented } from './settings/reference.ts'
import { SCRIPTS } from './settings/script-effects.ts'
import { SHARED } from './settings/shared-effects.ts'
import { PERSONAL } from './settings/personal-effects.ts'
import { ROLES_BY_GROUP, SIGN_IN_PROVIDER, SIGN_IN_SERVER } from './settings/sign-in-effects.ts'
import { TASKS } from './settings/task-effects.ts'
import { TOOLSETS } from './settings/toolset-effects.ts'
import { TRACES } from './settings/traces-effects.ts'
import { TRACES_ELSEWHERE } from './settings/traces-elsewhere-effects.ts'

const EFFECTS: Effects = {
  ...LISTEN,
  ...AUTH,
  ...JWT,
  ...CONTEXT,
  ...LIMITS,
  ...RECORDS,
  ...UPSTREAMS,
  ...BUILTIN_SERVERS,
  ...DATABASE,
  ...TRACES,
  ...TRACES_ELSEWHERE,
  ...SEARCHERS,
  ...EMBEDDING,
  ...SCRIPTS,
  ...TASKS,
  ...APPROVALS,
  ...SHARED,
  ...TOOLSETS,
  ...PERSONAL,
  ...ROLES_BY_GROUP,
  ...SIGN_IN_SERVER,
  ...SIGN_IN_PROVIDER,
}

const { settings, serverKeys, foreign } = documented()
const VARIABLES = new Map(settings.map(({ key, variable }) => [key, variable]))

describe('every setting of the reference has an effect', () => {
  it('each has a row here, and no row is left over', () => {
    expect(Object.keys(EFFECTS).toSorted()).toEqual([...VARIABLES.keys()].toSorted())
  })

  it.each(Object.entries(EFFECTS))('%s', async (key, { value, observe, without, set }) => {
    // Keys of an entry of a mapping are set with the mapping.
    const variable = VARIABLES.get(key) ?? VARIABLES.get(key.split('.<id>')[0] ?? '') ?? ''
    expect(await observe({})).toEqual(without)
    const text = typeof value === 'string' ? value : await value()
    expect(await observe({ [variable]: text })).toEqual(set)
  })
})

describe('variables of other products that are understood', () => {
  it.each(foreign)('$variable does what $key does', async ({ variable, key }) => {
    const { value, observe, set } = EFFECTS[key] ?? {}
    expect(value).toBeTypeOf('string')
    expect(await observe?.({ [variable]: String(value) })).toEqual(set)
  })
})

describe('every key of a server in .mcp.json has an effect', () => {
  it('each has a row here, and no row is left over', () => {
    expect(Object.keys(SERVER_KEYS).toSorted()).toEqual(serverKeys.toSorted())
  })

  it.each(Object.entries(SERVER_KEYS))('%s', async (_, { entry, key, observe, without, set }) => {
    const base = typeof entry === 'function' ? await entry() : entry
    expect(await observeServer(base, observe)).toEqual(without)
    expect(await observeServer({ ...base, ...key }, observe)).toEqual(set)
  })
})
