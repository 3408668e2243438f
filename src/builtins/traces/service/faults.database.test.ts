import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { type TracesUnderTest, aTracesService } from '../../../../test/support/a-traces-service.ts'
import { aTrace } from '../../../../test/support/traces-client.ts'
import { createDatabase, startPostgres } from '../../../../test/support/postgres.ts'
import { startTracesServer } from '../../../../test/support/start-traces-server.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { use } from '../../../../test/support/use-tool.ts'
import { toolsElsewhere, toolsOver } from '../../../../test/support/traces-tools.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import type { Service } from '../../../protocol/service.ts'

/** The machine that runs the tests may be busy: our timers then fire late, whatever we do. */
const SLACK_MS = 800

function anAdapter(service: TracesUnderTest, apiKey: string): Service {
  return toolsOver(service, { apiKey, limits: { readTimeoutMs: 200, writeTimeoutMs: 2_000 } })
}

/** Writes through the adapter until told to stop; what was acknowledged, and whether each answer was in time. */
async function keepWriting(adapter: Service, progress: { written: number; stop: boolean }) {
  const acknowledged: string[] = []
  const answers: { text: string; withTimeout: boolean }[] = []
  while (!progress.stop) {
    const write = await use(adapter, 'contribute_trace', aTrace())
    const read = await use(adapter, 'search_traces', { query: 'connection pool' })
    if (write.structured?.id) progress.written = acknowledged.push(write.structured.id)
    answers.push({ text: write.text, withTimeout: write.ms < 2_000 + SLACK_MS })
    answers.push({ text: read.text, withTimeout: read.ms < 200 + SLACK_MS })
    expect([write.isError, read.isError]).toEqual([undefined, undefined])
    await sleep(5)
  }
  return { acknowledged, answers }
}

describe('when the database restarts under load', () => {
  it.skipIf(process.env['TEST_DATABASE_URL'])(
    'agents get readable answers in time, nothing acknowledged is lost, and it goes on by itself',
    { timeout: 60_000 },
    async () => {
      const server = await startPostgres({ durable: true })
      const service = await aTracesService({
        place: { home: '', databaseUrl: await createDatabase(server.url) },
      })
      const author = await service.account()
      const adapter = anAdapter(service, author.key)
      const progress = { written: 0, stop: false }
      const writing = keepWriting(adapter, progress)
      await expect.poll(() => progress.written).toBeGreaterThan(2)
      await server.restart()
      await server.restart()
      await expect
        .poll(async () => (await use(adapter, 'contribute_trace', aTrace())).text)
        .toMatch(/^Trace submitted/)
      progress.stop = true
      const { acknowledged, answers } = await writing
      expect(acknowledged.length).toBe(progress.written)
      expect(answers.filter(({ withTimeout }) => !withTimeout)).toEqual([])
      expect(
        answers.every(({ text }) =>
          /^(?:Trace submitted|Found|No traces|\[CommonTrace)/.test(text),
        ),
      ).toBe(true)
      const rows = await service.storage.db.selectFrom('traces').select('id').execute()
      const stored = new Set(rows.map(({ id }) => id))
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
      await service.close()
      await server.stop()
    },
  )
})

describe.each([
  ['SQLite', async () => ({ home: tempFolder().path })],
  [
    'PostgreSQL',
    async () => ({
      home: tempFolder().path,
      databaseUrl: await createDatabase(inject('postgresUrl')),
    }),
  ],
])('when the service on %s is killed while it writes', (_, fresh) => {
  it(
    'nothing acknowledged is lost, agents get readable answers, and a new one takes over',
    { timeout: 120_000 },
    async () => {
      const place = await fresh()
      const first = await startTracesServer(place)
      const port = Number(new URL(first.url).port)
      const writer = await first.register()
      const acknowledged: string[] = []
      const write = async (): Promise<void> => {
        for (;;) acknowledged.push(await writer.contribute())
      }
      const writers = Array.from({ length: 8 }, async () => write().catch(() => {}))
      await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(40)
      await first.end('SIGKILL')
      await Promise.all(writers)

      const adapter = toolsElsewhere({
        apiKey: writer.key,
        baseUrl: first.url,
        recoveryMs: 100,
        readTimeoutMs: 2_000,
      })
      const down = await use(adapter, 'search_traces', { query: 'connection pool' })
      expect([down.isError, down.structured]).toEqual([
        undefined,
        { degraded: true, reason: 'unavailable' },
      ])
      const second = await startTracesServer(place, { port })
      onTestFinished(async () => {
        await second.end('SIGKILL')
      })
      await expect
        .poll(async () => (await use(adapter, 'contribute_trace', aTrace())).text)
        .toMatch(/^Trace submitted/)
      const storage = await openStorage(place)
      const rows = await storage.db.selectFrom('traces').select('id').execute()
      await storage.close()
      const stored = new Set(rows.map(({ id }) => id))
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    },
  )
})

describe('when the disk is full', () => {
  it.skipIf(!canMount())(
    'writes are refused with the reason, reads go on, and writing resumes when there is space',
    { timeout: 60_000 },
    async () => {
      const folder = await temporaryFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder.path])
      try {
        const service = await aTracesService({ place: { home: folder.path } })
        const author = await service.account()
        const reader = await service.account()
        const acknowledged: string[] = []
        const fill = async (words: number) => {
          for (;;) {
            const padding = Array.from({ length: words }, () =>
              Math.random().toString(36).slice(2, 8),
            )
            const answer = await author.post(
              '/traces',
              aTrace({ solution_text: padding.join(' ') }),
            )
            if (answer.status !== 202) return answer
            acknowledged.push(answer.body.id)
          }
        }
        await fill(6_000)
        const refused = await fill(30)
        expect([refused.status, refused.body.detail]).toEqual([
          507,
          expect.stringContaining('out of space: nothing was stored'),
        ])
        const text = await use(anAdapter(service, author.key), 'contribute_trace', aTrace())
        expect(text.text).toMatch(/^\[CommonTrace unavailable\]/)

        const found = await reader.post('/traces/search', { q: 'connection pool exhausted' })
        expect([found.status, found.body.total]).toEqual([200, expect.any(Number)])
        const missed = await reader.post('/traces/search', { q: 'quite unheard of' })
        expect(missed.status).toBe(200)
        for (const id of acknowledged) expect((await reader.get(`/traces/${id}`)).status).toBe(200)

        execFileSync('mount', ['-o', 'remount,size=30m', folder.path])
        expect((await author.post('/traces', aTrace())).status).toBe(202)
        await service.close()
      } finally {
        execFileSync('umount', ['-l', folder.path])
        await folder.remove()
      }
    },
  )
})

function canMount(): boolean {
  try {
    execFileSync('mount', ['--fake', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
