import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startConformanceServer } from '../support/conformance-server.ts'
import { serveDualEra } from '../support/dual-era/serve-dual-era.ts'
import { startGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { conformancePage } from './page.ts'
import { REVISIONS, type Report, runClientScenarios, runServerScenarios } from './run.ts'

const PAGE = join(import.meta.dirname, '../../docs/reference/conformance.md')

interface Upstream {
  readonly url: string
  readonly close: () => void | Promise<void>
}

/** The servers behind the gateway: ours, and one that only follows the guides of the official SDK. */
const SERVERS: Readonly<Record<string, () => Promise<Upstream>>> = {
  'our own fixture': async () => {
    const { url, http } = await startConformanceServer()
    return {
      url,
      close() {
        http.close()
        http.closeAllConnections()
      },
    }
  },
  "a server of the SDK's high-level API": async () => serveDualEra(),
}

const seen = new Map<string, Report>()
const undo: (() => void | Promise<void>)[] = []
const later = (step: () => void | Promise<void>) => void undo.push(step)
afterAll(async () => {
  for (const step of undo.toReversed()) await step()
})

describe.each(Object.entries(SERVERS))('%s', (name, serve) => {
  let gateway: string
  beforeAll(async () => {
    const upstream = await serve()
    later(upstream.close)
    const folder = tempFolder(later)
    folder.write('.mcp.json', { mcpServers: { upstream: { url: upstream.url } } })
    gateway = (await startGateway(folder, ['--surface', 'direct'], {}, later)).url
  })

  it.each(REVISIONS)('passes every scenario of %s through the gateway', async (revision) => {
    const report = await runServerScenarios(`${gateway}/mcp`, revision)
    seen.set(`${name} ${revision}`, report)
    expect(failuresOf(report)).toEqual([])
    expect(report.size).toBeGreaterThanOrEqual(revision === '2026-07-28' ? 40 : 33)
  })
})

it.each(REVISIONS)('the gateway is a client that passes every scenario of %s', async (revision) => {
  const report = await runClientScenarios(revision)
  seen.set(`client ${revision}`, report)
  expect(failuresOf(report)).toEqual([])
  expect(report.size).toBeGreaterThanOrEqual(revision === '2026-07-28' ? 8 : 5)
})

it('docs/reference/conformance.md says what was seen (UPDATE_DOCS=1 writes it)', () => {
  const page = conformancePage(Object.keys(SERVERS), seen)
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, page)
  expect(squeezed(readFileSync(PAGE, 'utf8'))).toBe(squeezed(page))
})

it('names what a server fails', async () => {
  const broken = createServer((_, response) => response.writeHead(500).end())
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  later(() => void broken.close())
  const address = broken.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const report = await runServerScenarios(`http://127.0.0.1:${port}/mcp`, '2025-11-25')
  expect(report.get('tools-list')).not.toEqual([])
})

function failuresOf(report: Report): string[] {
  return [...report].flatMap(([scenario, problems]) =>
    problems.length > 0 ? [`${scenario}: ${problems.join('; ')}`] : [],
  )
}

/** Tables are aligned by the formatter. */
function squeezed(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---')
}
