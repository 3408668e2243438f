import { expect, it, onTestFinished } from 'vitest'
import { startConformanceServer } from '../support/conformance-server.ts'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runConformance } from './run.ts'

// One connection of the newest era serves clients of both: the suite also proves the bridge between them.
it.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)('the gateway passes all that %s requires', async (revision, scenarios) => {
  const { url, http } = await startConformanceServer()
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { fixture: { url } } })
  const gateway = await startGateway(folder, ['--surface', 'direct'])
  const { required, failures } = await runConformance(`${gateway.url}/mcp`, revision)
  expect(failures).toEqual([])
  expect(required.size).toBe(scenarios)
})
