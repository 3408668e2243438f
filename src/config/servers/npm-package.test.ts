import { describe, expect, it } from 'vitest'
import { npmPackageOf } from './npm-package.ts'

const npx = (...args: string[]) => npmPackageOf('npx', args)

describe('npmPackageOf', () => {
  it.each([
    [['-y', 'pages'], { name: 'pages', spec: 'latest', args: [] }],
    [
      ['--yes', '@a/pages@1.2.3', '--x', '.'],
      { name: '@a/pages', spec: '1.2.3', args: ['--x', '.'] },
    ],
    [['-y', 'pages@^2', '-y'], { name: 'pages', spec: '^2', args: ['-y'] }],
    [['-y', '--', 'pages@next', 'a'], { name: 'pages', spec: 'next', args: ['a'] }],
    [
      ['-p', 'pages', 'serve', 'a'],
      { name: 'pages', spec: 'latest', program: 'serve', args: ['a'] },
    ],
    [['--package=pages@1', 'serve'], { name: 'pages', spec: '1', program: 'serve', args: [] }],
  ])('reads npx %j', (args, expected) => {
    expect(npx(...args)).toEqual(expected)
  })

  it.each([
    [['github:a/pages']],
    [['a/pages']],
    [['git+https://host.example/a.git']],
    [['./server']],
    [['.']],
    [['pages.tgz']],
    [['pages@npm:other']],
    [['pages@file:../x']],
    [['../pages']],
    [['/opt/pages']],
    [['-c', 'pages && rm']],
    [['--registry=http://host.example', 'pages']],
    [['-p', 'pages', '-p', 'other', 'serve']],
    [[]],
  ])('does not pin npx %j', (args) => {
    expect(npx(...args)).toHaveProperty('notPinned')
  })

  it('knows npx by any path, and other runners as such', () => {
    expect(npmPackageOf('/opt/node/bin/npx', ['pages'])).toHaveProperty('name', 'pages')
    expect(npmPackageOf('C:\\node\\npx.cmd', ['pages'])).toHaveProperty('name', 'pages')
    for (const [command = '', ...args] of [
      ['uvx', 'pages'],
      ['docker', 'run', 'pages'],
      ['pnpm', 'dlx', 'pages'],
      ['cmd', '/c', 'npx', 'pages'],
    ])
      expect(npmPackageOf(command, args)).toHaveProperty('notPinned')
    expect(npmPackageOf('node', ['server.js'])).toBeUndefined()
    expect(npmPackageOf('docker-mcp', [])).toBeUndefined()
    expect(npmPackageOf('npm', ['start'])).toBeUndefined()
  })
})
