import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createSyslogSink } from './syslog-sink.ts'

const LINE = '{"timestamp":"2026-01-31T12:00:00.000Z","decision":"ALLOW"}'

it('sends any number of batches of datagrams without collecting listeners', async () => {
  const receiver = createSocket('udp4')
  await new Promise<void>((resolve) => receiver.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void receiver.close())
  const warnings: string[] = []
  const warned = ({ name }: Error) => void warnings.push(name)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const sink = createSyslogSink(`syslog+udp://127.0.0.1:${receiver.address().port}`)
  onTestFinished(async () => sink.close())
  for (let batch = 0; batch < 20; batch += 1) await sink.send([LINE])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(warnings).toEqual([])
})

it('gives up a receiver that has stopped reading, so that closing does not wait for it', async () => {
  const server = createServer((socket) => void socket.pause())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const sink = createSyslogSink(`syslog+tcp://127.0.0.1:${port}`, { waitMs: 100 })
  onTestFinished(async () => sink.close())
  const many = Array.from({ length: 500_000 }, () => LINE)
  await expect(sink.send(many)).rejects.toThrow('stopped reading')
})
