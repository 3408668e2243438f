import { expect, it, vi } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const SERVERS = { files: stdioUpstream(), notes: stdioUpstream() }
const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    grace: { allow: { servers: ['notes'], scripts: true } },
    bob: { allow: { servers: ['*'] } },
  },
}

function folderWith(files: Record<string, string>) {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: SERVERS })
  folder.write('.mcp-gateway-rules.json', RULES)
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  return folder
}

it('runs a file as an agent, with its rules, and prints the result alone on stdout', async () => {
  const folder = folderWith({
    'join.ts': `const words: string[] = await parallel(
      [() => tools.files.echo({ text: 'a' }), () => tools.notes.echo({ text: 'b' })])
    return words.join('') + input.suffix`,
  })
  const run = async (agent: string, ...more: string[]) =>
    runBuilt(folder, ['run', 'join.ts', '--agent', agent, '--input', '{"suffix":"!"}', ...more])
  expect(await run('ada')).toEqual({ code: 0, stdout: 'ab!\n', stderr: '' })

  const shown = await run('ada', '--calls')
  expect(shown.stdout).toBe('ab!\n')
  expect(shown.stderr).toMatch(
    /^2 calls in .* stayed in the gateway\n├─ .*echo .* ok .*\n└─ .*echo/,
  )

  const narrower = await run('grace')
  expect(narrower).toMatchObject({ code: 1, stdout: '' })
  expect(narrower.stderr).toMatch(/^join\.ts:2:\d+\n/)
  expect(narrower.stderr).toContain("Agent 'grace' cannot access server 'files'")

  const denied = await run('bob')
  expect(denied).toMatchObject({ code: 1, stdout: '' })
  expect(denied.stderr).toContain(
    "Agent 'bob' may not run scripts\nrule: agents.bob (no allow.scripts)\nTo allow it, ",
  )
})

it('asks the gateway that runs, and tells of every call as JSON', async () => {
  const gateway = await openGateway({ servers: SERVERS, rules: RULES })
  const { url, folder } = gateway
  folder.write('two.js', `await tools.notes.echo({ text: 'x' }); log('half'); input`)
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const words = ['run', 'two.js', '--agent', 'ada', '--input', '[18446744073709551615]', '--json']
  const { stdout, stderr, code } = await runBuilt(folder, words, env)
  expect({ stderr, code }).toEqual({ stderr: `Answered by the gateway at ${url}\n`, code: 0 })
  expect(stdout).toContain('18446744073709551615')
  const answer = JSON.parse(stdout)
  expect(answer).toMatchObject({
    logs: ['half'],
    run: { calls: [{ tool: 'notes.echo', outcome: 'ok' }] },
  })
  // The id is the one under which the audit has the run.
  const parents = () => auditOf(gateway).flatMap(({ metadata }) => Object(metadata)['parent'] ?? [])
  await expect.poll(parents).toEqual([answer.run.id])
})

it('reads a script from standard input, plans, and ends in time', async () => {
  const folder = folderWith({})
  const run = async (input: string, ...more: string[]) =>
    runProgram(process.execPath, [MAIN, 'run', '--agent', 'ada', ...more], {
      cwd: folder.path,
      env: gatewayEnv(folder, {}),
      input,
    })
  expect(await run('({ two: 1 + 1 })')).toMatchObject({ code: 0, stdout: '{\n  "two": 2\n}\n' })

  const late = await run('await sleep(60_000)', '--timeout', '0.3s')
  expect(late).toMatchObject({ code: 1, stdout: '' })
  expect(late.stderr).toContain('The script took longer than 300 ms')

  const planned = await run('await tools.notes.add_tool(); 2', '-', '--plan')
  expect(JSON.parse(planned.stdout)).toEqual({
    result: 2,
    planned: [{ tool: 'notes.add_tool', arguments: {} }],
  })
  expect(await run('1', '--input', '{')).toMatchObject({ code: 1, stdout: '' })
})
