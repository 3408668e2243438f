import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startKnowledge } from '../../../../test/support/knowledge-service.ts'

async function aBase(modelProblem?: string) {
  const knowledge = await startKnowledge({ modelProblem })
  onTestFinished(async () => knowledge.close())
  const file = join(knowledge.home, 'a.md')
  await writeFile(file, '# Ropes\n\nRopes are wound on drums.')
  expect(await knowledge.ask('knowledge_ingest', { url: file })).toMatchObject({
    status: 'complete',
  })
  return knowledge
}

it('searches by words where the model is unusable, and says so in the answer and its health', async () => {
  const knowledge = await aBase('The model file is damaged. Install portolan again')
  expect(await knowledge.ask('knowledge_search', { query: 'ropes' })).toMatchObject({
    total: 1,
    lexical_only: true,
  })
  expect(await knowledge.ask('knowledge_search', { query: 'ropes', use_hybrid: false })).toEqual(
    expect.not.objectContaining({ lexical_only: true }),
  )
  expect(await knowledge.ask('knowledge_health')).toMatchObject({
    status: 'degraded',
    checks: expect.arrayContaining([
      expect.objectContaining({
        name: 'embedder',
        ok: false,
        error: 'The model file is damaged. Install portolan again',
      }),
    ]),
  })
})

it('says nothing of it where nobody wants a model', async () => {
  const knowledge = await aBase()
  expect(await knowledge.ask('knowledge_search', { query: 'ropes' })).not.toHaveProperty(
    'lexical_only',
  )
  const { checks } = await knowledge.ask('knowledge_health')
  expect(checks).toMatchObject([{ name: 'database' }, { name: 'index' }])
})
