import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'
import { startGitServer } from '../../../../test/support/git-server.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { writePdf } from '../../../../test/support/write-pdf.ts'
import { countTokens } from '../../../shaping/tokens.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { chunkTotals } from '../../../storage/knowledge/chunks.ts'
import { findJob, listJobs } from '../../../storage/knowledge/jobs.ts'
import { listSources } from '../../../storage/knowledge/sources.ts'
import type { Storage } from '../../../storage/storage.ts'
import { startProcess } from '../../../base/flow/start-process.ts'
import type { Block } from '../documents/document.ts'
import { createKnowledgeBase } from '../knowledge-base.ts'
import { DocumentProcess } from './document-process.ts'
import { ingestOptions } from './ingest-options.ts'
import type { JobProgress } from './run-job.ts'

describe('a folder', () => {
  let knowledge: RunningKnowledge
  beforeEach(async () => {
    knowledge = await startKnowledge()
  })
  afterEach(async () => knowledge.close())

  async function write(path: string, bytes: string | Uint8Array): Promise<void> {
    const file = join(knowledge.home, path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, bytes)
  }

  it('names the files it skipped up to a limit, and counts them all', async () => {
    for (let n = 0; n < 30; n++) await write(`docs/${n}.tex.gz`, 'no reader')
    await write('docs/a.md', '# 1 Good\n\nThe good document.')
    await symlink(join(knowledge.home, 'docs/a.md'), join(knowledge.home, 'docs/link.md'))
    await write('docs/b.tex', 'excluded by the caller')
    const answer = await knowledge.ask('knowledge_ingest', { url: 'docs', exclude: ['*.tex'] })
    expect([answer['skipped_count'], listOf(answer, 'skipped_files').length]).toEqual([31, 20])
    expect(answer['skipped_reasons']).toEqual({
      'no reader for .gz files': 30,
      'not a regular file': 1,
    })
    const { job_id: job } = answer
    const { errors } = await knowledge.ask('knowledge_jobs', { job_id: job })
    expect(errors).toHaveLength(31)
    expect(errors).toContainEqual({
      location: expect.stringContaining('link.md'),
      code: 'skipped',
      message: 'not a regular file',
    })
    const clean = await knowledge.ask('knowledge_ingest', { url: 'docs', include: ['a.md'] })
    expect(clean).not.toHaveProperty('skipped_count')
  })

  it('tells what it did not look at: hidden files, folders of foreign files, what git ignores', async () => {
    await write('plain/a.md', '# Good')
    await write('plain/.draft.md', '# Hidden')
    await write('plain/node_modules/b.md', '# Foreign')
    const plain = await knowledge.ask('knowledge_ingest', { url: 'plain' })
    expect(plain['skipped_reasons']).toEqual({ hidden: 1, 'folder of built or foreign files': 1 })
    const root = join(knowledge.home, 'tracked')
    await write('tracked/a.md', '# Good too')
    await write('tracked/secret.md', '# Ignored')
    await write('tracked/.gitignore', 'secret.md\n')
    await promisify(execFile)('git', ['init', '-q', root])
    const tracked = await knowledge.ask('knowledge_ingest', { url: 'tracked' })
    expect(tracked['skipped_reasons']).toMatchObject({ 'ignored by git': 1 })
    expect(tracked['message']).toContain('1 stored')
  })

  it('is ingested: bad documents are reported one by one, the good ones stored', async () => {
    await write('docs/good.md', '# 1 Good\n\nThe good document.')
    await write('docs/broken.pdf', '%PDF-1.4 nothing')
    await write('docs/bomb.docx', zipSync({ 'word/document.xml': new Uint8Array(20_000_000) }))
    await write('docs/empty.txt', '')
    await write('docs/notes.xyz', 'no reader')
    const answer = await knowledge.ask('knowledge_ingest', { url: 'docs' })
    const states = listOf(answer, 'sources').map(({ url, status, error }) => [
      String(url).split('/').at(-1),
      status,
      error,
    ])
    expect(states).toEqual([
      ['bomb.docx', 'failed', expect.stringContaining('refused')],
      ['broken.pdf', 'failed', expect.stringContaining('damaged')],
      ['empty.txt', 'failed', expect.stringContaining('no text')],
      ['good.md', 'stored', undefined],
    ])
    expect(answer).toMatchObject({
      message: '1 stored, 3 failed, 1 skipped',
      skipped_count: 1,
      skipped_files: [
        { url: expect.stringContaining('notes.xyz'), reason: 'no reader for .xyz files' },
      ],
    })
    expect(await knowledge.ask('knowledge_stats')).toMatchObject({
      documents: 1,
      failed_documents: 3,
      total_chunks: 1,
    })
    const failed = listOf(await knowledge.ask('knowledge_sources', { status: 'failed' }), 'sources')
    expect(failed).toHaveLength(3)
    expect(failed[0]).toMatchObject({ error: { suggestion: expect.any(String) } })
    expect(knowledge.progress.at(-1)).toMatchObject({ progress: 4, total: 4 })
  })

  it('leaves out what git ignores and what the patterns exclude', async () => {
    await write('repo/readme.md', 'kept')
    await write('repo/build/out.md', 'ignored by git')
    await write('repo/drafts/a.md', 'excluded')
    await write('repo/.gitignore', 'build/\n')
    execFileSync('git', ['init', '-q', join(knowledge.home, 'repo')])
    await knowledge.ask('knowledge_ingest', { url: 'repo', exclude: ['drafts/**'] })
    const sources = listOf(await knowledge.ask('knowledge_sources'), 'sources')
    expect(sources.map(({ url }) => String(url).split('/').at(-1))).toEqual(['readme.md'])
  })

  it('is worked off in the background, with its state to be asked for', async () => {
    await write('docs/a.md', 'alpha words')
    const { job_id: id } = await knowledge.ask('knowledge_ingest', {
      url: 'docs',
      background: true,
    })
    await expect
      .poll(async () => (await knowledge.ask('knowledge_jobs', { job_id: id }))['status'], {
        timeout: 10_000,
      })
      .toBe('done')
    expect(await knowledge.ask('knowledge_search', { query: 'alpha' })).toMatchObject({ total: 1 })
  })

  it('cannot be read from outside the folders that are allowed', async () => {
    const confined = await startKnowledge({ folders: [join(knowledge.home, 'docs')] })
    await write('docs/a.md', 'inside')
    await write('other/b.md', 'outside')
    await confined.ask('knowledge_ingest', { url: join(knowledge.home, 'docs/a.md') })
    const refused = await confined.call('knowledge_ingest', {
      url: join(knowledge.home, 'docs/../other/b.md'),
    })
    expect(JSON.stringify(refused)).toContain('outside the folders')
    await symlink(join(knowledge.home, 'other'), join(knowledge.home, 'docs/way-out'))
    await symlink(join(knowledge.home, 'other/b.md'), join(knowledge.home, 'docs/link.md'))
    const around = await confined.call('knowledge_ingest', {
      url: join(knowledge.home, 'docs/way-out'),
    })
    expect(JSON.stringify(around)).toContain('outside the folders')
    await confined.ask('knowledge_ingest', { url: join(knowledge.home, 'docs') })
    expect(await confined.ask('knowledge_search', { query: 'outside' })).toMatchObject({ total: 0 })
    await confined.close()
  })
})

it('clones a repository over http and ingests its documents', { timeout: 30_000 }, async () => {
  const git = await startGitServer({
    'docs/guide.md': '# Winches\n\nWinches pull.',
    'code.c': 'int x;',
  })
  const knowledge = await startKnowledge({ fetch: { allowedHosts: [git.host] } })
  expect(await knowledge.ask('knowledge_ingest', { url: git.url })).toMatchObject({
    status: 'complete',
    title: 'Winches',
  })
  const [source] = listOf(await knowledge.ask('knowledge_sources'), 'sources')
  expect(source?.['url']).toBe(`${git.url}#docs/guide.md`)
  expect(await knowledge.ask('knowledge_ingest', { url: git.url })).toMatchObject({
    already_exists: true,
  })
  await knowledge.close()
  await git.close()
})

it('ingests a file by a URL that is not well encoded', async () => {
  const knowledge = await startKnowledge()
  const path = join(knowledge.home, '100%.md')
  await writeFile(path, '# Winches\n\nWinches pull.')
  expect(await knowledge.ask('knowledge_ingest', { url: `file://${path}` })).toMatchObject({
    status: 'complete',
    title: 'Winches',
  })
  await knowledge.close()
})

it('clones nothing from a private address', async () => {
  const knowledge = await startKnowledge()
  const refused = await knowledge.call('knowledge_ingest', { url: 'http://127.0.0.1:9/x.git' })
  expect(JSON.stringify(refused)).toContain('private address')
  await knowledge.close()
})

it('reads a PDF of two thousand pages in bounded memory', { timeout: 120_000 }, async () => {
  const blocks = Array.from({ length: 2000 }, (_, n): Block[] => [
    { kind: 'heading', level: 2, text: `${n + 1}.1 Clause of page ${n + 1}` },
    { kind: 'paragraph', text: `Sentence on page ${n + 1} about hoist number ${n}. `.repeat(8) },
  ]).flat()
  const knowledge = await startKnowledge()
  const { bytes, pageCount } = writePdf(blocks, { breakChapters: true })
  expect(pageCount).toBe(2000)
  const url = join(knowledge.home, 'large.pdf')
  await writeFile(url, bytes)
  const before = process.memoryUsage.rss()
  const answer = await knowledge.ask('knowledge_ingest', { url })
  expect(answer).toMatchObject({ status: 'complete' })
  expect(process.memoryUsage.rss() - before).toBeLessThan(600 * 1024 * 1024)
  const [hit] = listOf(await knowledge.ask('knowledge_search', { query: 'clause 77.1' }), 'results')
  expect(hit).toMatchObject({
    clause_number: '77.1',
    metadata: { page_numbers: expect.arrayContaining([77]) },
  })
  await knowledge.close()
})

it(
  'goes on where a killed process stopped, with nothing half-stored',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder()
    const docs = join(folder.path, 'docs')
    await mkdir(docs)
    for (let n = 1; n <= 30; n++)
      await writeFile(join(docs, `${String(n).padStart(2, '0')}.md`), longText(n))
    const child = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        join(import.meta.dirname, '../../../../test/support/ingest-child.ts'),
        folder.path,
        docs,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')

    const storage = await openStorage({ home: folder.path })
    const whole = (await listSources(storage.db)).filter(({ status }) => status === 'complete')
    expect(whole.length).toBeGreaterThan(0)
    expect(whole.length).toBeLessThan(30)
    const { chunks } = await chunkTotals(storage.db)
    expect(chunks).toBe(whole.reduce((sum, { chunk_count: count }) => sum + count, 0))

    const base = createKnowledgeBase({ storage, countTokens, home: folder.path, leaseMs: 200 })
    await expect
      .poll(
        async () => {
          base.queue.start()
          return (await listSources(storage.db, { status: 'complete' })).length
        },
        { timeout: 40_000, interval: 200 },
      )
      .toBe(30)
    await base.close()
    await storage.close()
    await folder.remove()
  },
)

function longText(n: number): string {
  return `# ${n} Part\n\n${`Words of document ${n}. `.repeat(4000)}`
}

const startReader = () =>
  startProcess('builtins/knowledge/ingest/document-worker', { memoryMb: 512 })

/** A knowledge base of its own over this storage, as another process has it. */
function aBase(storage: Storage) {
  const reader = new DocumentProcess(startReader)
  return createKnowledgeBase({ storage, countTokens, reader, leaseMs: 600 })
}

describe('a job that is cancelled', () => {
  const pdf = writePdf(
    Array.from({ length: 300 }, (_, n): Block[] => [
      { kind: 'heading', level: 2, text: `${n + 1} Chapter` },
      { kind: 'paragraph', text: 'All that is known of it. '.repeat(60) },
    ]).flat(),
    { breakChapters: true },
  ).bytes

  it('gives up the document at hand, wherever it was cancelled, and leaves nothing behind', async () => {
    const folder = await temporaryFolder()
    const storage = await openStorage({ home: folder.path })
    const [here, elsewhere] = [aBase(storage), aBase(storage)]
    const file = join(folder.path, 'big.pdf')
    await writeFile(file, pdf)
    const seen: JobProgress[] = []
    let cancelled: Promise<boolean> | undefined
    const { id, outcomes } = await here.queue.run([file], ingestOptions.parse({}), {
      onProgress(progress) {
        seen.push(progress)
        if (!progress.pages || cancelled) return
        cancelled = listJobs(storage.db, 1).then(async ([job]) =>
          elsewhere.queue.cancel(job?.id ?? ''),
        )
      },
    })
    expect(outcomes).toEqual([])
    expect(seen.at(-1)?.pages?.read).toBeLessThan(300)
    expect(await findJob(storage.db, id)).toMatchObject({ status: 'cancelled' })
    expect(await listSources(storage.db)).toEqual([])
    const again = await here.queue.run([file], ingestOptions.parse({}))
    expect(again.outcomes).toMatchObject([{ status: 'stored' }])
    await here.close()
    await elsewhere.close()
    await storage.close()
    await folder.remove()
  })
})
