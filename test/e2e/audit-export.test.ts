import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startCollector } from '../support/otlp-collector.ts'
import { stdioUpstream } from '../support/start.ts'
import { makeCertificate, startSyslog, startUdpSyslog } from '../support/syslog-server.ts'
import type { TempFolder } from '../support/temp-folder.ts'

const MESSAGE = /^<110>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ portolan \d+ audit - (\{"timestamp":.*\})$/s

async function open(
  audit: JsonObject,
  { env = {}, folder }: { env?: Record<string, string>; folder?: TempFolder } = {},
): Promise<Opened> {
  return openGateway({
    servers: { one: stdioUpstream() },
    settings: { audit },
    env,
    ...(folder && { folder }),
  })
}

async function callTimes(gateway: Opened, times: number): Promise<void> {
  const client = await gateway.connect({ era: 'modern' })
  for (let n = 0; n < times; n += 1) await call(client, 'echo', { text: 'hello' })
}

/** The calls an audit file, or a sink, knows of. */
function callIds(lines: readonly string[]): string[] {
  return lines.map((line) => JSON.parse(line).metadata.call_id)
}

function auditLines({ folder }: Opened): string[] {
  return folder.read('data/audit.jsonl').split('\n').filter(Boolean)
}

it('syslog over TCP loses nothing when the server goes away, nor when the gateway is killed', async () => {
  const syslog = await startSyslog()
  const settings = { export: `syslog+tcp://127.0.0.1:${syslog.port}` }
  const first = await open(settings)
  await callTimes(first, 3)
  await expect.poll(() => syslog.messages.length).toBe(3)
  expect(syslog.messages[0]).toMatch(MESSAGE)

  await syslog.stop()
  const begun = Date.now()
  await callTimes(first, 5)
  expect(Date.now() - begun).toBeLessThan(10_000)
  await sleep(500)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const second = await open(settings, { folder: first.folder })
  await callTimes(second, 2)
  await syslog.start()
  const taken = () => new Set(callIds(syslog.messages.map((text) => MESSAGE.exec(text)?.[1] ?? '')))
  await expect.poll(() => taken().size).toBe(10)
  await second.close()
  expect(taken()).toEqual(new Set(callIds(auditLines(second))))
})

it('syslog over TLS and UDP', async () => {
  const certificate = makeCertificate()
  const secure = await startSyslog(certificate)
  const tls = await open(
    { export: `syslog+tls://localhost:${secure.port}` },
    { env: { NODE_EXTRA_CA_CERTS: certificate.path } },
  )
  const udp = await startUdpSyslog()
  const plain = await open({ export: `syslog+udp://127.0.0.1:${udp.port}` })
  await Promise.all([callTimes(tls, 2), callTimes(plain, 2)])
  await expect.poll(() => secure.messages.length).toBe(2)
  await expect.poll(() => udp.messages.length).toBe(2)
  for (const message of [...secure.messages, ...udp.messages]) expect(message).toMatch(MESSAGE)
})

it('OTLP logs carry the whole entry and the trace it belongs to, through an outage', async () => {
  const collector = await startCollector()
  const gateway = await open(
    { export: 'otlp' },
    { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } },
  )
  collector.status = 503
  await callTimes(gateway, 3)
  await sleep(1000)
  expect(collector.logs).toEqual([])
  collector.status = 200
  await expect.poll(() => collector.logs.length).toBe(3)
  const [record] = collector.logs
  expect(record?.attributes).toMatchObject({
    'portolan.upstream': 'one',
    'gen_ai.tool.name': 'echo',
  })
  expect(JSON.parse(record?.body ?? '').metadata.trace_id).toBe(record?.traceId)
  await gateway.close()
  expect(collector.logs.map(({ body }) => body)).toEqual(auditLines(gateway))
})

it('what is rotated away before it could be sent is counted', async () => {
  const gateway = await open({
    export: 'syslog+tcp://127.0.0.1:1',
    maxBytes: 2000,
    maxFiles: 1,
  })
  const client = await gateway.connect({ era: 'modern' })
  for (let round = 0; round < 6; round += 1) {
    for (let n = 0; n < 10; n += 1) await call(client, 'echo', { text: 'hello' })
    await sleep(250)
  }
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const dropped = Number(/^portolan_audit_export_dropped (\d+)$/m.exec(text)?.[1])
  await gateway.close()
  const left = [gateway.folder.read('data/audit.jsonl.1'), gateway.folder.read('data/audit.jsonl')]
  expect(dropped + left.join('').split('\n').filter(Boolean).length).toBe(60)
  expect(dropped).toBeGreaterThan(10)
})
