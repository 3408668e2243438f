import { expect, it } from 'vitest'
import { parseServers } from './parse-servers.ts'

const parse = (mcpServers: unknown) =>
  parseServers({ mcpServers }, '/project/.mcp.json', { HOME: '/home/ada' })

const sandboxOf = (sandbox: unknown) => {
  const parsed = parse({ s: { command: 'x', sandbox } }).servers.get('s')
  return parsed?.kind === 'stdio' ? parsed.sandbox : parsed
}

it('may ask for a sandbox, which is nothing more than what it names', () => {
  const nothing = { read: [], write: [], network: 'any', env: [] }
  expect(sandboxOf(true)).toEqual(nothing)
  expect(sandboxOf({})).toEqual(nothing)
  expect(sandboxOf({ write: ['.'], network: ['*.example.com', 'db:5432'] })).toEqual({
    ...nothing,
    write: ['.'],
    network: ['*.example.com', 'db:5432'],
  })
  expect(sandboxOf(false)).toBeUndefined()
  const wrongs: [object, RegExp][] = [
    [{ command: 'x', sandbox: { read: ['/'] } }, /read.*belongs to the whole machine/],
    [{ command: 'x', sandbox: { write: ['/proc/'] } }, /write.*belongs to the whole machine/],
    [{ command: 'x', sandbox: { network: ['a b'] } }, /network/],
    [{ command: 'x', sandbox: { net: 1 } }, /net/],
    [{ url: 'https://x.example/mcp', sandbox: true }, /is for a program/],
  ]
  for (const [entry, why] of wrongs)
    expect(parse({ s: entry }).servers.get('s')).toMatchObject({
      kind: 'broken',
      error: expect.stringMatching(why),
    })
})
