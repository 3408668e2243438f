import { expect, it } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { startTaskServer } from '../support/tasks/start-task-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runScenarios } from './run.ts'

const REQUIRED_ERROR = 'tasks-required-task-error'
const SCENARIOS = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  REQUIRED_ERROR,
  'tasks-mrtr-composition',
]
const ALL_PASS = Object.fromEntries(SCENARIOS.map((name) => [name, []]))

async function gatewayBefore(url: string, settings: object): Promise<string> {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { jobs: { url } } })
  folder.write('portolan.yaml', settings)
  const gateway = await startGateway(folder, ['--surface', 'direct'])
  return `${gateway.url}/mcp`
}

// What the server fails itself, no gateway can pass.
it('the server alone passes every scenario of the extension', async () => {
  const { url } = await startTaskServer()
  expect(await runScenarios(url, SCENARIOS)).toEqual(ALL_PASS)
})

it('the gateway passes every scenario where it does not wait for clients without tasks', async () => {
  const { url } = await startTaskServer()
  const gateway = await gatewayBefore(url, { tasks: { wait: false } })
  expect(await runScenarios(gateway, SCENARIOS)).toEqual(ALL_PASS)
})

it('by default it waits, so that such a client gets a result in place of the error that one scenario wants', async () => {
  const { url } = await startTaskServer()
  const found = await runScenarios(await gatewayBefore(url, {}), [REQUIRED_ERROR])
  expect(found[REQUIRED_ERROR]).toEqual([
    expect.stringContaining('server-returns-missing-capability-when-required'),
  ])
})
