import { expect, it } from 'vitest'
import { queryPieces, textWindows } from './text-windows.ts'

it('takes a question of several sentences as a whole and apart', () => {
  expect(queryPieces('How is a package removed?')).toEqual(['How is a package removed?'])
  const asked = 'The build failed today. Who may remove the package? Ok.'
  expect(queryPieces(asked)).toEqual([
    asked,
    'The build failed today.',
    'Who may remove the package?',
  ])
})

it('compares no more of a question than a person would ask', () => {
  const pieces = queryPieces('Who may remove it now? '.repeat(50_000))
  expect(pieces).toHaveLength(9)
  expect(pieces[0]).toHaveLength(4_000)
})

it('cuts a long text into windows that overlap by half', () => {
  const words = Array.from({ length: 10 }, (_, at) => `w${at}`)
  expect(textWindows(words.join(' '), 4)).toEqual([
    'w0 w1 w2 w3',
    'w2 w3 w4 w5',
    'w4 w5 w6 w7',
    'w6 w7 w8 w9',
  ])
})
