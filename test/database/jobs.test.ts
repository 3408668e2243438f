import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openJobs } from '../../src/jobs/open-jobs.ts'
import { ingestOptions } from '../../src/builtins/knowledge/ingest/ingest-options.ts'
import { createKnowledgeBase } from '../../src/builtins/knowledge/knowledge-base.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { findJob } from '../../src/storage/knowledge/jobs.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { createDatabase } from '../support/postgres.ts'
import { type Started, start } from '../support/start.ts'

const CHILD = join(import.meta.dirname, '../support/jobs-child.ts')

/** Counts who asks for what; `/slow` is answered only when told to. */
async function aSite() {
  const asked: string[] = []
  let hold = true
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = () =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<h1>${path}</h1><p>What stands on ${path} is a sentence of its own.</p>`)
    if (path !== '/slow' || !hold) answer()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return { host, asked, letGo: () => (hold = false) }
}

it(
  'two replicas do each job once, and one takes over what the other died with',
  { timeout: 90_000 },
  async () => {
    const site = await aSite()
    const databaseUrl = await createDatabase(inject('postgresUrl'))
    const storage = await openStorage({ home: '', databaseUrl })
    const launch = async (): Promise<Started> => {
      const tsx = import.meta.resolve('tsx')
      const child = await start(process.execPath, ['--import', tsx, CHILD, databaseUrl, site.host])
      onTestFinished(async () => child.close())
      return child
    }
    const first = await launch()
    // It only adds, and reads how far they are: what a third replica would do that has no room.
    const asking = createKnowledgeBase({
      storage,
      countTokens,
      jobs: async () => openJobs(storage),
    })
    asking.queue.start = () => {}
    onTestFinished(async () => {
      await asking.close()
      await storage.close()
    })
    const add = async (path: string) =>
      asking.queue.add([`http://${site.host}${path}`], ingestOptions.parse({}))
    const statusOf = async (id: string) => (await findJob(storage.db, id))?.status

    const slow = await add('/slow')
    await expect.poll(() => site.asked).toContain('/slow')
    expect(await statusOf(slow)).toBe('running')
    const second = await launch()
    const paths = Array.from({ length: 12 }, (_, n) => `/page-${n}`)
    const ids = await Promise.all(paths.map(add))
    const all = async () => Promise.all(ids.map(statusOf))
    await expect.poll(all, { timeout: 60_000 }).toEqual(ids.map(() => 'done'))
    expect(site.asked.filter((path) => path.startsWith('/page')).toSorted()).toEqual(
      paths.toSorted(),
    )

    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    site.letGo()
    await expect.poll(async () => statusOf(slow), { timeout: 40_000 }).toBe('done')
    expect(site.asked.filter((path) => path === '/slow')).toHaveLength(2)
    const { owner, done } = (await findJob(storage.db, slow)) ?? {}
    expect([owner?.split('-')[0], done]).toEqual([String(second.child.pid), 1])
  },
)
