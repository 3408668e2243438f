import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'

let knowledge: RunningKnowledge
beforeEach(async () => {
  knowledge = await startKnowledge()
  await mkdir(join(knowledge.home, 'docs/old'), { recursive: true })
  await mkdir(join(knowledge.home, 'more'))
  await write('docs/a.md', '# Alpha\n\nThe alpha valve opens at 3 bar.')
  await write('docs/old/b.md', '# Beta\n\nThe beta valve opens at 9 bar.')
  await write('more/c.md', '# Gamma\n\nThe gamma valve opens at 5 bar.')
  await knowledge.ask('knowledge_ingest', { url: 'docs' })
  await knowledge.ask('knowledge_ingest', { url: 'more' })
})
afterEach(async () => knowledge.close())

const at = (path: string) => join(knowledge.home, path)
const write = async (path: string, text: string) => writeFile(at(path), text)

async function places(): Promise<string[]> {
  const sources = listOf(await knowledge.ask('knowledge_sources'), 'sources')
  return sources.map(({ url }) => String(url).slice(knowledge.home.length + 1)).toSorted()
}

it('forgets the files that are gone from a folder when it is ingested again, and no others', async () => {
  await rm(at('docs/old'), { recursive: true })
  await rm(at('more/c.md'))
  const answer = await knowledge.ask('knowledge_ingest', { url: 'docs' })
  expect(answer).toMatchObject({
    message: '1 unchanged, 1 removed',
    removed: [{ url: at('docs/old/b.md'), title: 'Beta' }],
  })
  expect(await places()).toEqual(['docs/a.md', 'more/c.md'])
  const { results } = await knowledge.ask('knowledge_search', { query: 'beta valve' })
  expect(JSON.stringify(results)).not.toContain('9 bar')
})

it('keeps what another collection holds, and what was merely left out this time', async () => {
  await knowledge.ask('knowledge_ingest', { url: 'docs', collection: 'other' })
  await rm(at('docs/a.md'))
  await knowledge
    .ask('knowledge_ingest', { url: 'docs', collection: 'other', include: ['old/*'] })
    .catch(() => {})
  expect(await places()).toEqual(['docs/a.md', 'docs/old/b.md', 'docs/old/b.md', 'more/c.md'])
})

it('cites a file where it is after it was renamed', async () => {
  await rename(at('docs/a.md'), at('more/renamed.md'))
  const answer = await knowledge.ask('knowledge_ingest', { url: 'more' })
  expect(answer['message']).toBe('1 stored, 1 unchanged')
  expect(await places()).toEqual(['docs/old/b.md', 'more/c.md', 'more/renamed.md'])
})

it('keeps a document of which one of two copies is gone', async () => {
  await write('docs/copy.md', '# Alpha\n\nThe alpha valve opens at 3 bar.')
  await knowledge.ask('knowledge_ingest', { url: 'docs' })
  await rm(at('docs/a.md'))
  await knowledge.ask('knowledge_ingest', { url: 'docs' })
  expect(await places()).toEqual(['docs/copy.md', 'docs/old/b.md', 'more/c.md'])
})

it('forgets nothing of a folder that holds no document at all: its disk may not be mounted', async () => {
  await rm(at('docs'), { recursive: true })
  await mkdir(at('docs'))
  expect(await knowledge.ask('knowledge_ingest', { url: 'docs' })).toMatchObject({
    code: 'not_found',
  })
  expect(await places()).toEqual(['docs/a.md', 'docs/old/b.md', 'more/c.md'])
})
