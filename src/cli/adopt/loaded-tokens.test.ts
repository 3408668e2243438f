import { expect, it } from 'vitest'
import { countTokens } from '../../shaping/tokens.ts'
import { profileOfAgent } from '../../protocol/client-profiles.ts'
import { loadedTokens } from './loaded-tokens.ts'

const tool = { name: 'one', description: 'It does a thing. '.repeat(1000), inputSchema: {} }
const marked = { ...tool, _meta: { 'anthropic/alwaysLoad': true } }
const of = (definition: typeof tool, agent: string, isDeferred: boolean) =>
  loadedTokens(definition, isDeferred, profileOfAgent(agent))

it('counts what each client shows models of a tool, and not what its definition takes', () => {
  const names = countTokens('one\n')
  expect(of(tool, 'claude-code', true)).toBe(names)
  expect(of(tool, 'qwen-code', true)).toBeGreaterThan(names + 30)
  expect(of(tool, 'qwen-code', true)).toBeLessThan(names + 60)
  expect(of(tool, 'codex', false)).toBeGreaterThan(4000)
  // Claude Code cuts descriptions.
  expect(of(tool, 'claude-code', false)).toBeLessThan(1300)
  expect(of(tool, 'claude-code', false)).toBeGreaterThan(900)
})

it('counts the definition of a tool that says itself that it is always loaded', () => {
  expect(of(marked, 'claude-code', true)).toBe(of(marked, 'claude-code', false))
  expect(of(marked, 'qwen-code', true)).toBe(of(tool, 'qwen-code', true))
})
