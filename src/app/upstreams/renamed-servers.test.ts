import { expect, it } from 'vitest'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { renamedServers } from './renamed-servers.ts'

const server = (name: string, command: string): ServerConfig => ({
  name,
  kind: 'stdio',
  command,
  args: [],
  env: {},
  enabled: true,
  protocol: 'auto',
  session: 'auto',
  userKeys: [],
  extra: {},
})

it('a server with another name and the same configuration was renamed', () => {
  const before = [server('one', 'a'), server('two', 'b')]
  const after = [server('uno', 'a'), server('two', 'b')]
  expect([...renamedServers(before, after)]).toEqual([['one', 'uno']])
})

it.each([
  ['it changed', [server('one', 'a')], [server('uno', 'b')]],
  ['it stayed, and another came', [server('one', 'a')], [server('one', 'a'), server('uno', 'a')]],
  ['two alike left', [server('one', 'a'), server('two', 'a')], [server('uno', 'a')]],
  ['two alike came', [server('one', 'a')], [server('uno', 'a'), server('due', 'a')]],
])('none was where %s', (_, before, after) => {
  expect(renamedServers(before, after).size).toBe(0)
})
