import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'

it('programs of the user’s file run in the home folder, unless they are for each folder', () => {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const entries = {
    plain: { command: 'npx', args: ['-y', '@a/server', 'chart.js/', '--name=a.b'] },
    here: { command: 'npx', args: ['@a/files', '.'] },
    flag: { command: 'npx', args: ['@a/files', '--root=./src'] },
    script: { command: 'node', args: ['tools/server.js'] },
    program: { command: './server' },
    said: { command: 'git-server', scope: 'folder' },
    overruled: { command: 'node', args: ['./x.js'], scope: 'user' },
    own: { command: 'x', cwd: '/elsewhere' },
    absolute: { command: 'node', args: ['/opt/server.js', 'https://a.example/x.js'] },
  }
  home.write('.portolan/mcp.json', { mcpServers: entries })
  cwd.write('.mcp.json', { mcpServers: { ofProject: { command: 'x' } } })
  const env = { HOME: home.path }
  const { servers } = loadConfig({ cwd: cwd.path, env, trust: trustEverything })
  const folders = [...servers].map(([name, server]) => [name, Object(server).cwd])
  const inHome = ['plain', 'overruled', 'absolute'].map((name) => [name, home.path])
  expect(Object.fromEntries(folders)).toMatchObject({
    ...Object.fromEntries(inHome),
    own: '/elsewhere',
  })
  for (const name of ['here', 'flag', 'script', 'program', 'said', 'ofProject'])
    expect(folders).toContainEqual([name, undefined])
})
