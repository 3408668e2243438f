import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { call } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const FILE = join(import.meta.dirname, '../../deploy/grafana/portolan.json')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: { expr: string }[] }[]
  readonly templating: { readonly list: readonly { readonly query: string }[] }
}

/** `sum by (a, b)` and `name{label="x"}` name labels. */
function labelsIn(expression: string): string[] {
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  )
  const matched = [...expression.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label)
  return [...grouped, ...matched]
}

it('the dashboard asks only for metrics and labels that the gateway exposes', async () => {
  const { url, connect } = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { audit: { export: 'syslog+udp://127.0.0.1:9' } },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  })
  await call(await connect(), 'echo', { text: 'hello' })
  const text = await (await fetch(`${url}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const exposed = new Set(samples.map((line) => /^\w+/.exec(line)?.[0] ?? ''))
  const labels = new Set(
    samples.flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, l]) => l)),
  )

  const { panels, templating }: Dashboard = JSON.parse(readFileSync(FILE, 'utf8'))
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map(({ query }) => query),
  ]
  const asked = expressions.flatMap((expression) => expression.match(/portolan_\w+/g) ?? [])
  expect(panels.length).toBeGreaterThan(15)
  expect(asked.filter((name) => !exposed.has(name))).toEqual([])
  // Prometheus itself adds `instance`.
  const known = new Set([...labels, 'instance'])
  expect(expressions.flatMap(labelsIn).filter((label) => !known.has(label))).toEqual([])
  // And nothing that is exposed is forgotten.
  const families = [...exposed].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
  const missing = families.filter((name) => !asked.some((used) => used.startsWith(name)))
  expect([...new Set(missing)]).toEqual([
    'portolan_agent_duration_seconds',
    'portolan_tool_duration_seconds',
  ])
})
