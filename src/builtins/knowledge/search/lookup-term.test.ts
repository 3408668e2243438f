import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type RunningKnowledge,
  startKnowledge,
} from '../../../../test/support/knowledge-service.ts'
import { modelName } from '../../../search/embed/embedder.ts'

let knowledge: RunningKnowledge

beforeAll(async () => {
  knowledge = await startKnowledge()
  const html =
    '<h1>3 Terms</h1><dl><dt>Token</dt><dd>A short text.</dd><dt>latch</dt><dd>Closes the hook.</dd></dl>'
  await writeFile(join(knowledge.home, 'terms.html'), html)
  await knowledge.ask('knowledge_ingest', { url: 'terms.html' })
})
afterAll(async () => knowledge.close())

it('finds a term of a list of definitions, and names it for a near miss', async () => {
  expect(await knowledge.ask('knowledge_lookup', { term: 'token' })).toMatchObject({
    found: true,
    definition: 'A short text.',
  })
  expect(await knowledge.ask('knowledge_lookup', { term: 'Tokne' })).toMatchObject({
    found: false,
    similar_terms: [{ term: 'Token', similarity: expect.any(Number) }],
  })
  expect(await knowledge.ask('knowledge_lookup', { term: 'crane' })).toMatchObject({
    found: false,
    similar_terms: [],
  })
})

it('calls a model by its name, whatever options make its identity', () => {
  expect(modelName({ identity: '["text-embedding-3-small",64,null]' })).toBe(
    'text-embedding-3-small',
  )
  expect(modelName({ identity: 'portolan-static-1' })).toBe('portolan-static-1')
})
