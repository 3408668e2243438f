import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listOf, startKnowledge } from '../../../../test/support/knowledge-service.ts'
import { defineAnalyser } from '../../../search/analyse/analyser.ts'
import { STOP_WORDS } from '../../../search/analyse/stop-words.ts'
import { wordFit } from './word-fit.ts'

const prose = defineAnalyser({ stem: true, stopWords: STOP_WORDS })
const index = {
  termsOf: (word: string) => prose.terms(word),
  information: (term: string) => (term === 'rar' ? 3 : 1),
}

it('prefers the form that was asked for, and neighbours that stay neighbours', () => {
  const { inText } = wordFit('Which user ids are reserved?', index)
  expect(inText('Some user ids are reserved.')).toBe(1)
  const apart = inText('Reserved are the ids of a user.')
  expect(apart).toBeLessThan(1)
  expect(apart).toBeGreaterThan(inText('A user reserves an id.'))
  expect(inText('Nothing of the kind.')).toBe(0)
})

it('weighs what a word says, and takes any form of it in a heading', () => {
  const { inText, inHeading } = wordFit('rare packages', index)
  expect(inText('rare')).toBeGreaterThan(inText('packages'))
  expect(inHeading('Packaging')).toBe(0.25)
  expect(inHeading('Rarely packaged')).toBe(1)
})

it('says nothing about a question without words', () => {
  const { inText, inHeading } = wordFit('What is it?', index)
  expect([inText('it is what it is'), inHeading('What is it?')]).toEqual([0, 0])
})

const filler = 'It is agreed with the owner before anything else is done. '.repeat(25)
const MANUAL = `# Manual

## 1 Lists

A new file is written for each of them. ${filler}

## 2 Notes

The file NEWS is written for all of them. ${filler}
`

it('finds the clause whose words have the form of the question', async () => {
  const knowledge = await startKnowledge({})
  try {
    await writeFile(join(knowledge.home, 'a.md'), MANUAL)
    await knowledge.ask('knowledge_ingest', { url: 'a.md' })
    const first = async (query: string) =>
      listOf(await knowledge.ask('knowledge_search', { query }), 'results')[0]?.['clause_number']
    expect(await first('Which is the file NEWS?')).toBe('2')
    expect(await first('Which is the new file?')).toBe('1')
  } finally {
    await knowledge.close()
  }
})
