import { expect, it } from 'vitest'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { fingerprintOf, renamedServers as renamedIn } from './renamed-servers.ts'

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

const fingerprints = (servers: readonly ServerConfig[]) =>
  new Map(servers.map((config) => [config.name, fingerprintOf(config)]))

const renamedServers = (before: readonly ServerConfig[], after: readonly ServerConfig[]) =>
  renamedIn(fingerprints(before), fingerprints(after))

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

const broken = (name: string): ServerConfig => ({
  name,
  kind: 'broken',
  enabled: true,
  error: 'no command',
})

it('one that cannot be read has no fingerprint, and is no other server renamed', () => {
  expect([fingerprintOf(broken('one')), fingerprintOf(undefined)]).toEqual(['', ''])
  expect(renamedServers([broken('one')], [broken('uno')]).size).toBe(0)
})
