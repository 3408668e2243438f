import { expect, it } from 'vitest'
import { describeProgram } from './describe-program.ts'

it.each([
  [
    'npx -y @modelcontextprotocol/server-memory@1.2.3 --x',
    'npm',
    '@modelcontextprotocol/server-memory',
    '1.2.3',
  ],
  ['/usr/bin/npx --yes some-server@latest', 'npm', 'some-server', null],
  ['npx -p @a/b@^2 b-mcp', 'npm', '@a/b', '^2'],
  ['npx --package=@a/b b-mcp', 'npm', '@a/b', null],
  ['pnpm dlx thing@2', 'npm', 'thing', '2'],
  ['uvx --with x mcp-server-git==0.6.2', 'PyPI', 'mcp-server-git', '0.6.2'],
  ['uvx --from git-tools[all]@1.0 serve', 'PyPI', 'git-tools', '1.0'],
  ['pipx run mcp-server-time', 'PyPI', 'mcp-server-time', null],
  [
    'docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:v0.5',
    'image',
    'ghcr.io/github/github-mcp-server',
    'v0.5',
  ],
  ['podman run --rm mcp/time', 'image', 'mcp/time', null],
])('%s is %s %s %s', (line, source, name, version) => {
  const [command = '', ...args] = line.split(' ')
  expect(describeProgram({ command, args })).toEqual({ source, name, version })
})

it.each([
  'node server.js',
  'docker compose up',
  'npx',
  'npx -y ./local',
  'npm start',
  'uvx git+https://x/y',
])('has no package for %s', (line) => {
  const [command = '', ...args] = line.split(' ')
  expect(describeProgram({ command, args })).toBeNull()
})
