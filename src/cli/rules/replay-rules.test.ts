import { describe, expect, it } from 'vitest'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import type { AuditLine } from '../../telemetry/audit/audit-line.ts'
import { Replay } from '../../telemetry/audit/replay.ts'
import { Suggestion } from './run-rules.ts'

type Metadata = AuditLine['metadata']

function aLine(agent: string | null, metadata: Metadata, more: Partial<AuditLine> = {}): AuditLine {
  return {
    timestamp: '2026-11-15T10:00:00.000Z',
    agent_id: agent,
    operation: 'execute_tool',
    decision: 'ALLOW',
    latency_ms: 1,
    metadata: { rule: 'agents.x.allow.servers[0]', ...metadata },
    ...more,
  }
}

describe('replay', () => {
  const rules = {
    agents: { ada: { allow: { servers: ['pg'], tools: { pg: ['read_*'] } } } },
    denyOnMissingAgent: true,
  }

  it('tells what was allowed and would be denied, and the other way round', () => {
    const replay = new Replay(rules)
    replay.add(aLine('ada', { server: 'pg', tool: 'read_rows' }))
    replay.add(aLine('ada', { server: 'pg', tool: 'drop' }))
    replay.add(aLine('ada', { server: 'pg', tool: 'drop' }, { decision: 'TIMEOUT' }))
    replay.add(aLine('ada', { server: 'pg', tool: 'read_one' }, { decision: 'DENY' }))
    replay.add(aLine('ada', { server: 'mail', tool: 'send' }, { decision: 'DENY' }))
    expect(replay.calls).toBe(5)
    expect(replay.differences('deny')).toMatchObject([
      { agent: 'ada', server: 'pg', tool: 'drop', calls: 2, rule: expect.stringContaining('ada') },
    ])
    expect(replay.differences('allow')).toMatchObject([
      { tool: 'read_one', calls: 1, rule: 'agents.ada.allow.tools.pg[0]' },
    ])
  })

  it('leaves out calls that never came before the rules', () => {
    const replay = new Replay(rules)
    replay.add(aLine('ada', { server: 'pg', tool: 'drop', rule: undefined }, { decision: 'ERROR' }))
    replay.add(aLine(null, { server: 'pg', tool: 'drop' }))
    replay.add(aLine('ada', {}))
    expect(replay.calls).toBe(0)
  })

  it('leaves out calls that a handle or a token refused, whatever the rules say', () => {
    const open = { agents: { ada: { allow: { servers: ['*'] } } }, denyOnMissingAgent: true }
    const replay = new Replay(open)
    const ancestors = ['ada']
    const helper = { id: 'ada.helper', ancestors, within: [{ tools: { pg: ['read_*'] } }] }
    for (const [server, tool] of [
      ['pg', 'drop'],
      ['mail', 'send'],
    ] as const) {
      const refused = createPolicy(open).tool(helper, server, tool)
      if (refused.effect === 'allow') throw new Error('the handle does not allow it')
      const metadata = { server, tool, rule: refused.rule, on_behalf_of: ancestors }
      replay.add(aLine(helper.id, metadata, { decision: 'DENY' }))
    }
    const outcome = 'INSUFFICIENT_SCOPE'
    replay.add(aLine('ada', { server: 'pg', tool: 'drop', outcome }, { decision: 'DENY' }))
    expect(replay.differences('allow')).toEqual([])
    expect(replay.calls).toBe(0)
  })

  it('judges recorded arguments by conditions, and counts the calls whose arguments are unknown', async () => {
    const large = { tool: 'pay', when: { properties: { sum: { minimum: 100 } } } }
    const ada = { allow: { servers: ['*'] }, deny: { tools: { bank: [large] } } }
    const replay = new Replay({ agents: { ada }, denyOnMissingAgent: true })
    await conditionsReady()
    for (const args of ['{"sum":5}', '{"sum":500}', '{"sum":500', undefined])
      replay.add(aLine('ada', { server: 'bank', tool: 'pay', arguments: args }))
    expect(replay.differences('deny')).toMatchObject([{ tool: 'pay', calls: 1 }])
    expect(replay).toMatchObject({ calls: 4, undecided: 2 })
  })

  it('counts the questions per agent and day, and proposes what would ask less', async () => {
    const ada = { allow: { servers: ['*'] }, ask: { tools: { bank: ['pay'], mail: ['send'] } } }
    const replay = new Replay({ agents: { ada }, denyOnMissingAgent: true })
    await conditionsReady()
    const paid = (day: number, args: object, more: Partial<AuditLine> = {}, extra: Metadata = {}) =>
      replay.add(
        aLine(
          'ada',
          { server: 'bank', tool: 'pay', arguments: JSON.stringify(args), ...extra },
          { timestamp: `2026-11-1${day}T10:00:00.000Z`, ...more },
        ),
      )
    for (let n = 1; n <= 9; n++) paid(n < 4 ? 1 : 2, { amount: n, to: 'shop', note: `n${n}` })
    paid(3, { amount: 5_000, to: 'shop', note: 'large' })
    const refused = { decision: 'DENY' } as const
    paid(3, { amount: 9_000, to: 'eve' }, refused, { reason: 'approval_denied' })
    paid(3, { amount: 7 }, refused, { outcome: 'APPROVAL_PENDING', reason: 'approval_pending' })
    replay.add(aLine('ada', { server: 'bank' }, { operation: 'tools/list' }))
    replay.add(aLine('ada', { server: 'bank', tool: 'pay' }, { operation: 'tasks/get' }))
    const [questions, ...rest] = replay.questions.all()
    expect(rest).toEqual([])
    expect(questions).toMatchObject({
      agent: 'ada',
      rule: 'agents.ada.ask.tools.bank[0]',
      calls: 11,
    })
    expect(Object.fromEntries(questions?.days ?? [])).toEqual({
      '2026-11-11': 3,
      '2026-11-12': 6,
      '2026-11-13': 2,
    })
    expect(await replay.questions.proposals()).toEqual([
      {
        rule: 'agents.ada.ask.tools.bank[0]',
        tool: 'pay',
        unless: {
          required: ['amount', 'to'],
          properties: {
            amount: { type: 'number', minimum: 1, maximum: 9 },
            to: { enum: ['shop'] },
          },
        },
        covers: 9,
        of: 10,
      },
    ])
    expect(replay.differences('allow'), 'the rules allowed what a person refused').toEqual([])
  })

  it('says which questions depend on arguments that are not on record', async () => {
    const large = { tool: 'pay', when: { properties: { sum: { minimum: 100 } } } }
    const ada = { allow: { servers: ['*'] }, ask: { tools: { bank: [large] } } }
    const replay = new Replay({ agents: { ada }, denyOnMissingAgent: true })
    await conditionsReady()
    for (const args of ['{"sum":5}', '{"sum":500}', undefined])
      replay.add(aLine('ada', { server: 'bank', tool: 'pay', arguments: args }))
    expect(replay.questions.all()).toMatchObject([{ calls: 2, undecided: 1 }])
  })

  it('judges a person by the groups they were in', () => {
    const replay = new Replay({
      agents: {},
      groups: {
        platform: {
          match: { claim: 'groups', any: ['platform'] },
          allow: { servers: ['pg'] },
        },
      },
      denyOnMissingAgent: true,
    })
    const asPerson = (user: string, groups: string[]) =>
      replay.add(aLine(user, { server: 'pg', tool: 'drop', user, groups }))
    asPerson('ada@example.com', ['platform'])
    asPerson('bob@example.com', ['sales'])
    expect(replay.differences('deny')).toMatchObject([{ agent: 'bob@example.com', calls: 1 }])
  })

  it('judges a sub-agent by the rights of those it lives on', () => {
    const replay = new Replay(rules)
    const asSubAgent = (tool: string) =>
      replay.add(aLine('ada.helper', { server: 'pg', tool, on_behalf_of: ['ada'] }))
    asSubAgent('read_rows')
    asSubAgent('drop')
    expect(replay.differences('deny')).toMatchObject([{ agent: 'ada.helper', tool: 'drop' }])
  })
})

describe('suggest', () => {
  it('asks about effects, but not about what was usual', () => {
    const suggestion = new Suggestion()
    suggestion.add(aLine('ada', { server: 'files', tool: 'read_file' }))
    suggestion.add(aLine('ada', { server: 'files', tool: 'delete_file' }))
    suggestion.add(aLine('ada', { server: 'files', tool: 'write_file' }))
    const unless = { properties: { path: { within: '/srv' } } }
    const rule = 'agents.ada.ask.tools.files[1]'
    const { agents } = suggestion.rules(
      ['delete', 'write'],
      [{ rule, tool: 'write_file', unless, covers: 9, of: 10 }],
    )
    expect(agents['ada']?.ask).toEqual({
      tools: { files: ['delete_file', { tool: 'write_file', unless: [unless] }] },
    })
  })

  it('allows what was used, by whoever it was used for, and nothing else', () => {
    const suggestion = new Suggestion()
    suggestion.add(aLine('ada', { server: 'pg', tool: 'read_rows' }))
    suggestion.add(aLine('ada', { server: 'pg', tool: 'count' }, { decision: 'ERROR' }))
    suggestion.add(aLine('ada', { server: 'pg', tool: 'drop' }, { decision: 'DENY' }))
    suggestion.add(aLine('ada.helper', { server: 'mail', tool: 'send', on_behalf_of: ['ada'] }))
    suggestion.add(aLine('robin', { server: 'docs' }, { operation: 'resources/read' }))
    const { agents } = suggestion.rules()
    expect(agents).toEqual({
      ada: {
        allow: { servers: ['mail', 'pg'], tools: { mail: ['send'], pg: ['count', 'read_rows'] } },
      },
      robin: {
        allow: { servers: ['docs'], tools: {} },
        deny: { tools: { docs: ['*'] } },
      },
    })
    const policy = createPolicy({ agents, denyOnMissingAgent: true })
    const may = (id: string, server: string, tool?: string) =>
      (tool === undefined ? policy.server({ id }, server) : policy.tool({ id }, server, tool))
        .effect
    expect(may('ada', 'pg', 'count')).toBe('allow')
    expect(may('ada', 'pg', 'drop')).toBe('deny')
    expect(may('robin', 'docs')).toBe('allow')
    expect(may('robin', 'docs', 'anything')).toBe('deny')
  })
})
