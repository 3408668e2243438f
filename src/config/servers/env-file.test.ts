import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { parseServers } from './parse-servers.ts'

it('a file of variables that cannot be read stops its own server only', () => {
  const folder = tempFolder()
  folder.write('vars/inner.env', 'A=1')
  const entries = { bad: { command: 'x', envFile: 'vars' }, good: { command: 'y' } }
  const { servers, problems } = parseServers({ mcpServers: entries }, folder.file('.mcp.json'), {})
  expect(servers.get('bad')).toMatchObject({ kind: 'broken' })
  expect(servers.get('good')).toMatchObject({ kind: 'stdio' })
  const message = expect.stringContaining('cannot be read')
  expect(problems).toMatchObject([{ server: 'bad', path: 'mcpServers.bad.envFile', message }])
})
