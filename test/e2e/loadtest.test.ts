import { expect, it } from 'vitest'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runProgram } from '../support/run-program.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

async function loadtest(args: readonly string[], env: Record<string, string> = {}) {
  const folder = tempFolder()
  return runProgram(process.execPath, [MAIN, 'loadtest', ...args], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
  })
}

it('measures a running gateway in both eras', async () => {
  const { url } = await openGateway({ servers: { one: stdioUpstream() } })
  const tool = ['--tool', 'echo', '--args', '{"text":"hello"}']
  const endpoint = `${url}/mcp?surface=direct`
  const { code, stdout } = await loadtest([endpoint, '-d', '1', '-c', '4', '--json', ...tool])
  expect(code).toBe(0)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ eras: ['legacy', 'modern'], concurrency: 4, errors: {} })
  expect(report.rps).toBeGreaterThan(0)
  expect(report.p50_ms).toBeLessThanOrEqual(report.p99_ms)
  const counted = await (await fetch(`${url}/metrics`)).text()
  const calls = Number(/portolan_calls_total\{decision="ALLOW"\} (\d+)/.exec(counted)?.[1])
  expect(calls).toBe(report.requests)
})

it('counts errors by their code', async () => {
  const { url } = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { limits: { ratePerMinute: 60, burst: 5 } },
  })
  const tool = ['--era', 'modern', '--tool', 'one__fail']
  const text = await loadtest([`${url}/mcp?surface=direct`, '-d', '1', '-c', '2', ...tool])
  expect(text.stdout).toMatch(/errors:\n( {2}(tool error|-32005): \d+\n)+$/)
})

it('ends at once where nothing listens', async () => {
  const { code, stderr } = await loadtest(['http://127.0.0.1:1/mcp', '-d', '30'])
  expect([code, stderr]).toEqual([
    1,
    'ERROR: Nothing listens at http://127.0.0.1:1/mcp (ECONNREFUSED). Start the gateway with "portolan serve", or correct the address.\n',
  ])
})

it.each([
  [['http://192.0.2.1/mcp'], '192.0.2.1 is not this machine'],
  [['http://127.0.0.1:1/mcp', '-d', '31'], 'A test takes at most 30 seconds'],
  [['http://127.0.0.1:1/mcp', '-c', '65'], 'At most 64 requests at once'],
])('refuses %j without --yes-i-own-it', async (args, message) => {
  const { code, stderr } = await loadtest(args)
  expect([code, stderr]).toEqual([
    1,
    `ERROR: ${message}. Say --yes-i-own-it if this gateway is yours to load.\n`,
  ])
})
