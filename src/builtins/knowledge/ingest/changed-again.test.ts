import { mkdir, writeFile } from 'node:fs/promises'
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
  await mkdir(join(knowledge.home, 'docs'))
})
afterEach(async () => knowledge.close())

const at = (path: string) => join(knowledge.home, path)
const write = async (path: string, text: string) => writeFile(at(path), text)
const sources = async () => listOf(await knowledge.ask('knowledge_sources'), 'sources')
const titles = async () => (await sources()).map(({ title }) => String(title)).toSorted()

it('forgets a failure once the document can be read again', async () => {
  const good = '# Alpha\n\nThe alpha valve opens at 3 bar.'
  await write('docs/a.md', good)
  await knowledge.ask('knowledge_ingest', { url: 'docs/a.md' })
  await write('docs/a.md', 'not text: \0')
  await knowledge.ask('knowledge_ingest', { url: 'docs/a.md' }).catch(() => {})
  expect(JSON.stringify(await sources())).toContain('zero bytes')
  await write('docs/a.md', good)
  const answer = await knowledge.ask('knowledge_ingest', { url: 'docs/a.md' })
  expect(answer['message']).toBe('1 unchanged')
  expect(JSON.stringify(await sources())).not.toContain('zero bytes')
})

it('keeps the copy of a document that is changed in the same run', async () => {
  const text = '# Alpha\n\nThe alpha valve opens at 3 bar.'
  await write('docs/z.md', text)
  await knowledge.ask('knowledge_ingest', { url: 'docs' })
  await write('docs/a.md', text)
  await write('docs/z.md', '# Omega\n\nThe omega valve opens at 7 bar.')
  const answer = await knowledge.ask('knowledge_ingest', { url: 'docs' })
  expect(answer['message']).toBe('2 stored')
  expect(await titles()).toEqual(['Alpha', 'Omega'])
})
