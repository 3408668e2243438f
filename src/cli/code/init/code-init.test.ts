import { existsSync, readdirSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { SHOP, anIndexedShop } from '../../../../test/support/code-project.ts'
import { type TempFolder, tempFolder } from '../../../../test/support/temp-folder.ts'
import { loadCodeConfig } from '../../../builtins/code/project/code-config.ts'
import { nudge } from './nudge.ts'
import { type CodeInitFlags, runCodeInit } from './run-code-init.ts'

const ALL: CodeInitFlags = {
  claudeMd: true,
  agentsMd: true,
  opencodeMcp: true,
  opencodeSkills: true,
  claudeMcp: true,
  claudeSettings: true,
  claudeHook: true,
}
const NONE: CodeInitFlags = {
  claudeMd: false,
  agentsMd: false,
  opencodeMcp: false,
  opencodeSkills: false,
  claudeMcp: false,
  claudeSettings: false,
  claudeHook: false,
}
const FLAGS = Object.keys(ALL)
const COMMAND = ['npx', '-y', 'portolan', 'code', 'mcp', '--project-from-cwd']

const json = (folder: TempFolder, name: string): unknown => parse(folder.read(name))

it('makes every file that clients need', () => {
  const folder = tempFolder()
  const { written, changed, kept } = runCodeInit(folder.path, ALL)
  expect(written).toEqual(
    expect.arrayContaining([
      'cocosearch.yaml',
      'CLAUDE.md',
      'AGENTS.md',
      '.mcp.json',
      'opencode.json',
    ]),
  )
  expect([...changed, ...kept]).toEqual([])
  expect(loadCodeConfig([folder.path], {})).toHaveProperty('indexName')
  expect(json(folder, '.mcp.json')).toEqual({
    mcpServers: { cocosearch: { command: 'npx', args: COMMAND.slice(1) } },
  })
  expect(json(folder, 'opencode.json')).toMatchObject({
    mcp: { cocosearch: { type: 'local', command: COMMAND, enabled: true } },
  })
  expect(json(folder, '.claude/settings.json')).toEqual({
    permissions: { allow: ['mcp__cocosearch__*'] },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Grep|Glob',
          hooks: [{ type: 'command', command: 'npx -y portolan code hook', timeout: 5 }],
        },
      ],
    },
  })
})

it('writes skills that clients can read', () => {
  const folder = tempFolder()
  runCodeInit(folder.path, { ...NONE, opencodeSkills: true })
  const names = readdirSync(folder.file('.claude/skills')).toSorted()
  expect(names).toEqual(
    'commit debugging deps explore new-feature onboarding quickstart refactoring review-pr'
      .split(' ')
      .map((name) => `cocosearch-${name}`),
  )
  for (const name of names)
    expect(folder.read(`.claude/skills/${name}/SKILL.md`)).toMatch(
      new RegExp(`^---\nname: ${name}\ndescription: .{20,1024}\n---\n\n`),
    )
})

it('does nothing the second time', () => {
  const folder = tempFolder()
  const { written } = runCodeInit(folder.path, ALL)
  const texts = () => written.map((name) => folder.read(name))
  const before = texts()
  expect(runCodeInit(folder.path, ALL)).toMatchObject({ written: [], changed: [] })
  expect(texts()).toEqual(before)
})

it('keeps what is in the files, and mends an old section of its own', () => {
  const folder = tempFolder()
  folder.write('cocosearch.yaml', 'indexName: mine\n')
  folder.write(
    'CLAUDE.md',
    '# Mine\n\n<!-- portolan code: begin -->\nold\n<!-- portolan code: end -->\n\nAfter.\n',
  )
  folder.write('AGENTS.md', '# Agents\n')
  folder.write(
    '.mcp.json',
    '{\n  // ours\n  "mcpServers": { "cocosearch": { "url": "http://x" } }\n}\n',
  )
  folder.write(
    '.claude/settings.json',
    '{\n  // keep\n  "permissions": { "allow": ["Bash(ls)"], "deny": ["Read(.env)"] },\n  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [] }] }\n}\n',
  )
  folder.write('opencode.jsonc', '{ "theme": "dark" }\n')
  const report = runCodeInit(folder.path, ALL)
  expect(report.kept).toEqual(['cocosearch.yaml', '.mcp.json'])
  expect(folder.read('cocosearch.yaml')).toBe('indexName: mine\n')
  expect(folder.read('CLAUDE.md')).toMatch(/^# Mine\n\n<!--.*-->\n\n## [^]*-->\n\nAfter\.\n$/)
  expect(folder.read('CLAUDE.md')).not.toContain('old')
  expect(folder.read('AGENTS.md')).toMatch(/^# Agents\n\n<!-- portolan code: begin -->/)
  expect(folder.read('.claude/settings.json')).toContain('// keep')
  expect(json(folder, '.claude/settings.json')).toMatchObject({
    permissions: { allow: ['Bash(ls)', 'mcp__cocosearch__*'], deny: ['Read(.env)'] },
    hooks: { PreToolUse: [{ matcher: 'Bash' }, { matcher: 'Grep|Glob' }] },
  })
  expect(json(folder, 'opencode.jsonc')).toMatchObject({ theme: 'dark', mcp: { cocosearch: {} } })
  expect(existsSync(folder.file('opencode.json'))).toBe(false)
})

it('changes nothing in a file that it cannot read', () => {
  const folder = tempFolder()
  folder.write('.mcp.json', '{ "mcpServers": ')
  expect(() => runCodeInit(folder.path, ALL)).toThrow('.mcp.json cannot be read')
  expect(folder.read('.mcp.json')).toBe('{ "mcpServers": ')
})

it.each(FLAGS)('leaves out what belongs to %s', (flag) => {
  const every = new Set(runCodeInit(tempFolder().path, ALL).written)
  const without = runCodeInit(tempFolder().path, { ...ALL, [flag]: false })
  const alone = runCodeInit(tempFolder().path, { ...NONE, [flag]: true })
  const own = alone.written.filter((name) => name !== 'cocosearch.yaml')
  const others = [...every].filter(
    (name) => !own.includes(name) || name === '.claude/settings.json',
  )
  expect(own.length).toBeGreaterThan(0)
  expect(without.written).toEqual(others)
})

it('reminds the agent of an index, and says nothing where there is none', async () => {
  const { root, client } = await anIndexedShop()
  const env = { PORTOLAN_HOME: client.home }
  const asked = JSON.stringify({ cwd: `${root}/src`, tool_name: 'Grep', tool_input: {} })
  const answer = await nudge(JSON.stringify({ cwd: root, tool_name: 'Grep' }), env)
  expect(JSON.parse(answer ?? '')).toMatchObject({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      additionalContext: expect.stringContaining(`${Object.keys(SHOP).length} files`),
    },
  })
  await client.close()
  expect(await nudge(asked, { PORTOLAN_HOME: tempFolder().path })).toBeUndefined()
  for (const broken of ['', '{', '[]', '{"cwd":"/nowhere/at/all"}'])
    expect(await nudge(broken, env)).toBeUndefined()
})
