import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { checkClients } from '../doctor/check-clients.ts'
import { parseConfig } from './parse-config.ts'

it.each([
  ['json', '\uFEFF{ // mine\n "a": [1,], }'],
  ['toml', '\uFEFFa = [1] # mine'],
  ['yaml', '\uFEFFa: [1] # mine'],
] as const)('reads %s with comments and a byte order mark', (format, text) => {
  expect(parseConfig(text, { file: '/f', format })).toEqual({ a: [1] })
})

it.each(['json', 'toml', 'yaml'] as const)('an empty %s file has no settings', (format) => {
  expect(parseConfig(' \n', { file: '/f', format })).toEqual({})
})

it.each([
  ['json', '{"a": 1,\n "b": {"c": 2\n', /not valid JSON: Expected ',' or '}'.*\(at line 3/],
  ['toml', 'a = 1\nb = ["x"\n', /not valid TOML: .+ \(at line 3, column \d+\)$/],
  ['yaml', 'a: 1\n\tb: 2\n', /not valid YAML: .+ at line 2, column 1/],
] as const)('says in words what is wrong with a %s file, and where', (format, text, said) => {
  const parse = () => parseConfig(text, { file: '/f', format })
  expect(parse).toThrow(said)
  expect(parse).toThrow('/f cannot be read: it is not valid')
})

it('the doctor says it, too', () => {
  const folder = tempFolder()
  folder.write('.cursor/mcp.json', '{"mcpServers": {')
  const env = { HOME: folder.path }
  const machine = { platform: 'linux', home: folder.path, cwd: folder.path, env } as const
  const found = checkClients(machine, undefined).map(({ message }) => message)
  expect(found[0]).toContain(
    `Cursor: ${folder.file('.cursor/mcp.json')} cannot be read: it is not valid`,
  )
})
