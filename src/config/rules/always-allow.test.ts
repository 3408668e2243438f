import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import type { Question } from '../../gateway/approvals/approval.ts'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { loadConfig } from '../load.ts'
import { prepareAlways } from './always-allow.ts'

const FILE = '.mcp-gateway-rules.json'

/** A trusted folder with these rules for ada, and what she is asked about. */
function aFolder(text: string) {
  const folder = tempFolder()
  folder.write(FILE, text)
  folder.write('.mcp.json', { mcpServers: { notes: { command: 'x' }, mail: { command: 'x' } } })
  const place = { cwd: folder.path, env: { PORTOLAN_HOME: folder.file('data') } }
  const config = () => loadConfig({ ...place, trust: () => ({ verdict: 'trusted', names: {} }) })
  const policy = async () => {
    const made = createPolicy(config().rules)
    await conditionsReady()
    return made
  }
  return {
    place,
    config,
    text: () => readFileSync(folder.file(FILE), 'utf8'),
    write: (next: string) => folder.write(FILE, next),
    asks: async (server: string, tool: string, args: object) => {
      const decision = (await policy()).tool({ id: 'ada' }, server, tool, { ...args })
      return decision.effect === 'allow' && decision.grant.ask !== undefined
    },
    question: async (server: string, tool: string, args: object): Promise<Question> => {
      const decision = (await policy()).tool({ id: 'ada' }, server, tool, { ...args })
      const asking = decision.effect === 'allow' ? decision.grant.ask : undefined
      if (!asking) throw new Error('nobody is asked')
      const json = JSON.stringify(args)
      const { rule, source } = asking
      const about = { agent: 'ada', person: 'local', server, tool, rule }
      return { ...about, arguments: json, exception: { source, arguments: json } }
    },
  }
}

const withAsk = (tools: string) => `{
  // who may do what
  "agents": {
    "ada": {
      "allow": { "servers": ["*"] },
      "ask": { "tools": ${tools} } // before it happens
    }
  }
}
`

it.each([
  ['a name', '{ "notes": ["read", "add"] }', ['notes', 'add']],
  ['an entry', '{ "notes": [{ "tool": "add", "when": { "required": ["n"] } }] }', ['notes', 'add']],
  ['a pattern', '{ "notes": ["*"] }', ['notes', 'remove']],
  ['every server', '{ "*": ["add"] }', ['mail', 'add']],
] as const)(
  'never asks again about exactly what was approved: %s',
  async (_, tools, [server, tool]) => {
    const { asks, question, place, config, text } = aFolder(withAsk(tools))
    const args = { n: 1, deep: { list: ['a', { b: null }] }, text: '“quoted”\n' }
    const change = prepareAlways(
      { id: '1', question: await question(server, tool, args) },
      { place, config: config() },
    )
    expect(change.diff.join('\n')).toContain('unless')
    expect(await asks(server, tool, args), 'nothing is written before it is applied').toBe(true)
    await change.apply('ada')
    expect(await asks(server, tool, args)).toBe(false)
    expect(text()).toContain('// who may do what')
    expect(text()).toContain('// before it happens')
    for (const other of [{ ...args, n: 2 }, { n: 1 }, { ...args, more: 1 }, { ...args, n: '1' }])
      expect(await asks(server, tool, other)).toBe(true)
    const others = [
      ['notes', 'add'],
      ['mail', 'add'],
      ['notes', 'remove'],
    ] as const
    for (const [one, two] of others) {
      if (one === server && two === tool) continue
      const before = aFolder(withAsk(tools))
      expect(await asks(one, two, args), `${one}.${two}`).toBe(await before.asks(one, two, args))
    }
    const next = prepareAlways(
      { id: '2', question: await question(server, tool, { n: 3 }) },
      { place, config: config() },
    )
    await next.apply('ada')
    expect(await asks(server, tool, { n: 3 })).toBe(false)
    expect(await asks(server, tool, args)).toBe(false)
  },
)

it('sees that the rule was changed meanwhile, before and after it was shown', async () => {
  const { question, place, config, text, write } = aFolder(withAsk('{ "notes": ["add"] }'))
  const asked = { id: '1', question: await question('notes', 'add', { n: 1 }) }
  const shown = prepareAlways(asked, { place, config: config() })
  const other = withAsk('{ "notes": ["remove", "add"] }')
  write(other)
  await expect(shown.apply('ada')).rejects.toThrow('changed by somebody else')
  expect(() => prepareAlways(asked, { place, config: config() })).toThrow(
    'changed by somebody else',
  )
  expect(text()).toBe(other)
})

it('says why a rule cannot leave arguments out', async () => {
  const { question, place, config } = aFolder(withAsk('{ "notes": ["add"] }'))
  const asked = await question('notes', 'add', { n: 1 })
  const { exception: _exception, ...withSecret } = asked
  const where = { place, config: config() }
  expect(() => prepareAlways({ id: '1', question: withSecret }, where)).toThrow('cannot leave out')
  expect(() => prepareAlways({ id: '1', question: asked }, { ...where, place: undefined })).toThrow(
    'not in files',
  )
})
