import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../load.ts'
import { formatSecrets, parseSecrets } from './secrets-file.ts'
import { trustEverything } from '../trust/trust-list.ts'

it('reads back what it wrote, whatever the value', () => {
  const values = {
    A: 'plain',
    B: 'with "quotes" and \\ and $HOME',
    C: 'two\nlines',
    D: '',
    E: "it's",
  }
  expect(parseSecrets(formatSecrets(new Map(Object.entries(values))))).toEqual(values)
})

it('takes lines as people write them', () => {
  expect(parseSecrets("# c\nexport A=1\n B='two words'\nC=x=y\nnothing\n")).toEqual({
    A: '1',
    B: 'two words',
    C: 'x=y',
  })
})

it('gives variables to the servers file, but the environment comes first', () => {
  const folder = tempFolder()
  folder.write('data/secrets.env', 'ONE=kept\nTWO=kept\n')
  folder.write('.mcp.json', {
    mcpServers: { s: { command: 'x', env: { ONE: '${ONE}', TWO: '${TWO}' } } },
  })
  const env = { HOME: folder.path, PORTOLAN_HOME: folder.file('data'), TWO: 'set' }
  const { servers } = loadConfig({ cwd: folder.path, env, trust: trustEverything })
  expect(servers.get('s')).toMatchObject({ env: { ONE: 'kept', TWO: 'set' } })
})

it.each([
  ['A=  padded  ', { A: 'padded' }],
  ["A='one' more", { A: "'one' more" }],
  ["A=more 'one'", { A: "more 'one'" }],
  ['A="open', { A: '"open' }],
  ['A=half"', { A: 'half"' }],
  ['A="a" b', { A: '"a" b' }],
  ['export   A=1\r\nB=2', { A: '1', B: '2' }],
  ['1A=1\nA-B=1\n=1\nset A=1\nA = 1', {}],
])('reads %j', (text, values) => {
  expect(parseSecrets(text)).toEqual(values)
})
