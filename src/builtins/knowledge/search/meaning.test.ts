import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hashEmbedder } from '../../../../test/support/hash-embedder.ts'
import { listOf, startKnowledge } from '../../../../test/support/knowledge-service.ts'
import { createBuiltinEmbedder } from '../../../search/embed/builtin-embedder.ts'
import { queryPieces, textWindows } from '../../../search/embed/text-windows.ts'

/** Each section speaks of its subject once, among what is said in every one of them. */
const common = 'It is agreed with the owner before anything else is done. '.repeat(30)
const MANUAL = [
  ['1 Ropes', 'A worn rope is replaced by a new one. Broken wires are counted along its length.'],
  ['2 Papers', 'The log of the machine is kept for ten years. Older entries may be thrown away.'],
  ['3 Weather', 'Work stops when the wind gets too strong. The crane is then tied down.'],
]
  .map(([title, text]) => `## ${title}\n\n${common}\n\n${`${text} `.repeat(4)}\n\n${common}`)
  .join('\n\n')

async function firstClause(query: string) {
  const knowledge = await startKnowledge({ embedder: createBuiltinEmbedder() })
  try {
    await writeFile(join(knowledge.home, 'a.md'), MANUAL)
    await knowledge.ask('knowledge_ingest', { url: 'a.md' })
    const body = await knowledge.ask('knowledge_search', { query })
    return listOf(body, 'results')[0]?.['clause_number']
  } finally {
    await knowledge.close()
  }
}

it('finds one sentence of a long passage that says it in other words', async () => {
  expect(await firstClause('suspend operation during a storm')).toBe('3')
  expect(await firstClause('how long must records be archived')).toBe('2')
})

it('compares every candidate by meaning, whichever way it was found, with a slow model too', async () => {
  const embedder = hashEmbedder()
  const knowledge = await startKnowledge({ embedder })
  try {
    await writeFile(join(knowledge.home, 'a.md'), '# A\n\nThe lorry has brakes.\n')
    await writeFile(join(knowledge.home, 'b.md'), '# B\n\nBrakes are oiled.\n')
    await knowledge.ask('knowledge_ingest', { url: 'a.md' })
    await knowledge.ask('knowledge_ingest', { url: 'b.md' })
    const asked = { query: 'truck brakes', metadata: 'full' }
    const mixed = listOf(await knowledge.ask('knowledge_search', asked), 'results')
    expect(mixed.map(({ document_title: title }) => title)).toEqual(['A', 'B'])
    expect(mixed.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({ match: 'both' }),
      expect.objectContaining({ match: 'both' }),
    ])
    const words = listOf(
      await knowledge.ask('knowledge_search', { ...asked, use_hybrid: false }),
      'results',
    )
    expect(words.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({ match: 'words' }),
      expect.objectContaining({ match: 'words' }),
    ])
  } finally {
    await knowledge.close()
  }
})

it('cuts a text into windows that overlap by half, and a question into its sentences', () => {
  const text = Array.from({ length: 10 }, (_, n) => `w${n}`).join(' ')
  expect(textWindows(text, 4)).toEqual(['w0 w1 w2 w3', 'w2 w3 w4 w5', 'w4 w5 w6 w7', 'w6 w7 w8 w9'])
  expect(textWindows('', 4)).toEqual([''])
  expect(queryPieces('How is it done? And who may do it?')).toHaveLength(3)
  expect(queryPieces('How is it done?')).toEqual(['How is it done?'])
})
