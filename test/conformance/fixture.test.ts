import { type Server, createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startConformanceServer } from '../support/conformance-server.ts'
import { runConformance } from './run.ts'

let url: string
let http: Server

beforeAll(async () => {
  ;({ url, http } = await startConformanceServer())
})
afterAll(() => {
  http.close()
  http.closeAllConnections()
})

// The fixture stands behind the gateway in the other tests here: what it fails itself, no gateway can pass.
it.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)('the fixture alone passes all that %s requires', async (revision, scenarios) => {
  const { required, failures } = await runConformance(url, revision)
  expect(failures).toEqual([])
  expect(required.size).toBe(scenarios)
})

it('names what a server fails', async () => {
  const broken = createServer((_, response) => response.writeHead(500).end())
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  const address = broken.address()
  const port = typeof address === 'object' ? address?.port : undefined
  try {
    const { failures, required } = await runConformance(
      `http://127.0.0.1:${port}/mcp`,
      '2025-11-25',
    )
    expect(required.get('tools-list')).toBe(false)
    expect(failures).toContainEqual(expect.stringMatching(/^tools-list: \w+: /))
  } finally {
    broken.close()
  }
})
