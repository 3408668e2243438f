import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { effectOf, effectsIn, knownEffect } from './effect.ts'
import { createPolicy } from '../agents/policy.ts'
import type { Rules } from '../agents/rules.ts'

const effect = (name: string, annotations?: JsonObject) =>
  effectOf({ name, definition: { name, ...(annotations && { annotations }) } })

const DESTRUCTIVE = { readOnlyHint: false, destructiveHint: true }

// Names and annotations of servers on npm.
describe('the effect of a tool', () => {
  it.each([
    'browser_resize',
    'browser_close',
    'browser_drop',
    'browser_run_code_unsafe',
    'update-many',
    'rename-collection',
    'write_file',
  ])('of %s is to write, though it calls itself destructive', (name) => {
    expect(effect(name, DESTRUCTIVE)).toBe('write')
  })

  it.each(['delete_file', 'API-delete-a-block', 'dropIndex', 'drop-collection', 'delete-many'])(
    'of %s is to delete, marked or not',
    (name) => {
      expect(effect(name, DESTRUCTIVE)).toBe('delete')
      expect(effect(name)).toBe('delete')
      expect(effect(name, { destructiveHint: false })).toBe('delete')
    },
  )

  it('of a tool that clears is to delete where it says that it destroys', () => {
    expect(effect('clear_index', DESTRUCTIVE)).toBe('delete')
    expect(effect('clear_screen')).toBe('write')
  })

  it('is to read where the tool says so, or says nothing and is named so', () => {
    expect(effect('browser_snapshot', { readOnlyHint: true })).toBe('read')
    expect(effect('delete_preview', { readOnlyHint: true })).toBe('read')
    expect(effect('search_repositories')).toBe('read')
    expect(effect('getIssue')).toBe('read')
    expect(effect('take_screenshot', { readOnlyHint: false })).toBe('write')
    expect(effect('get_or_create_user')).toBe('write')
    expect(effect('create_issue')).toBe('write')
    expect(effect('search', { readOnlyHint: false })).toBe('write')
  })
})

describe('the effect of a tool by its words', () => {
  it.each(['drop_tables', 'dropDatabases', 'drop.users', 'v2DropIndex'])(
    'of %s is to delete',
    (name) => {
      expect(effect(name)).toBe('delete')
    },
  )

  it.each(['drop_tabless', 'drop_file', 'drop', 'table_drop', 'undelete', 'Deleted'])(
    'of %s is to write',
    (name) => {
      expect(effect(name)).toBe('write')
    },
  )

  it('is not to read, whatever its name, where it says that it destroys or does not', () => {
    expect(effect('get_row', { destructiveHint: true })).toBe('write')
    expect(effect('get_row', { destructiveHint: false })).toBe('write')
    expect(effect('get_row', { title: 'Row' })).toBe('read')
  })

  it('is found in the first two hundred characters of a name', () => {
    const before = 'x_'.repeat(97)
    expect(effect(`${before}delete`)).toBe('delete')
    expect(effect(`${before}x_delete`)).toBe('write')
  })

  it('is that of the tool as a catalogue lists it, and of the name alone elsewhere', () => {
    const definition = { name: 'clear', annotations: DESTRUCTIVE }
    const listed = { server: 'a', name: 'clear', definition, readOnly: false }
    const find = effectsIn({
      tool: (server, name) => (server === 'a' && name === 'clear' ? listed : undefined),
    })
    expect([find('a', 'clear'), find('b', 'clear'), find('b', 'delete_row')]).toEqual([
      'delete',
      'write',
      'delete',
    ])
  })
})

describe('a rule about effects', () => {
  const rules: Rules = {
    agents: {
      ada: { allow: { servers: ['*'] }, deny: { effects: ['delete'] } },
      bob: { allow: { servers: ['*'] }, deny: { effects: ['write', 'delete'] } },
      eve: { allow: { servers: ['*'] } },
    },
    denyOnMissingAgent: true,
  }

  it('denies what tools do, wherever they are, and names itself', () => {
    const policy = createPolicy(rules)
    const verdicts = (id: string) =>
      ['browser_drop', 'drop_table', 'get_row', 'write_file'].map(
        (tool) => policy.tool({ id }, 'any', tool).effect,
      )
    expect(verdicts('ada')).toEqual(['allow', 'deny', 'allow', 'allow'])
    expect(verdicts('bob')).toEqual(['deny', 'deny', 'allow', 'deny'])
    expect(verdicts('eve')).toEqual(['allow', 'allow', 'allow', 'allow'])
    expect(policy.tool({ id: 'bob' }, 'any', 'drop_table')).toMatchObject({
      rule: 'agents.bob.deny.effects[1]',
      reason: 'tool_not_allowed',
    })
  })

  it('follows what a server says of its tool, also when it says otherwise later', () => {
    let now: 'read' | 'delete' = 'read'
    const policy = createPolicy(rules, { effectOf: () => now })
    expect(policy.tool({ id: 'ada' }, 'any', 'clear').effect).toBe('allow')
    now = 'delete'
    expect(policy.tool({ id: 'ada' }, 'any', 'clear').effect).toBe('deny')
    expect(policy.tool({ id: 'eve' }, 'any', 'clear').effect).toBe('allow')
  })
})

it.each([
  ['create_issue', 'write'],
  ['delete_issue', 'delete'],
  ['list_issues', 'read'],
  ['search_and_rank', undefined],
  ['tavily_map', undefined],
] as const)('the name %s says %s', (name, known) => {
  expect(knownEffect({ name, definition: { name } })).toBe(known)
  expect(effect(name)).toBe(known ?? 'write')
})
