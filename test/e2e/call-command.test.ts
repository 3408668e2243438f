import { expect, it, vi } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const SERVERS = { one: stdioUpstream(), two: stdioUpstream() }

async function whoami(folder: TempFolder, env: Record<string, string>, ...more: string[]) {
  const words = ['call', 'execute_tool', 'server=one', 'tool=whoami', 'args={}', ...more]
  const { stdout, stderr, code } = await runBuilt(folder, words, env)
  const { pid, callsOnConnection: calls } = JSON.parse(stdout)
  return { pid, calls, stderr, code }
}

it('asks the gateway that runs with these files, and no other', async () => {
  const { url, folder } = await openGateway({ servers: SERVERS })
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const first = await whoami(folder, env)
  expect(first.stderr).toContain(`Answered by the gateway at ${url}`)
  // The same process as before: what it remembers is still there.
  const second = await whoami(folder, env)
  expect([second.pid, second.calls]).toEqual([first.pid, first.calls + 1])

  const own = await whoami(folder, env, '--own')
  expect(own.pid).not.toBe(first.pid)
  expect(own.stderr).not.toContain('Answered by')

  const elsewhere = tempFolder()
  elsewhere.write('.mcp.json', { mcpServers: SERVERS })
  const other = await whoami(elsewhere, env)
  expect(other.pid).not.toBe(first.pid)
  expect(other.stderr).not.toContain('Answered by')
})

it('is the same agent either way, and shows its key and its name to both', async () => {
  const rules = {
    agents: { ada: { allow: { servers: ['one'] } }, bob: { allow: { servers: ['two'] } } },
  }
  const { url, folder } = await openGateway({ servers: SERVERS, rules })
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const ask = async (agent: string, ...more: string[]) => {
    const words = ['call', 'list_servers', '--agent', agent, ...more]
    return (await runBuilt(folder, words, env)).stdout
  }
  for (const more of [[], ['--own']]) {
    expect(await ask('ada', ...more)).toContain('"one"')
    expect(await ask('bob', ...more)).not.toContain('"one"')
  }
})

it('is not answered by the gateway of another data folder, even where neither has files', async () => {
  const { url } = await startGateway(tempFolder())
  const { port } = new URL(url)
  const { stderr } = await runBuilt(tempFolder(), ['call', 'list_servers'], {
    PORTOLAN_LISTEN_PORT: port,
  })
  expect(stderr).not.toContain('Answered by')
})
