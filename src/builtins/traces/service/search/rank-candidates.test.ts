import { describe, expect, it } from 'vitest'
import { placeAfterPreferred, reserveForDifficult } from './rank-candidates.ts'

const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join('')

describe('preferences', () => {
  const ranked = Array.from('abcd', (id, place) => ({ id, combined: 1 - place / 10 }))
  it('put the loser right behind its winner, and move nothing else', () => {
    const placed = placeAfterPreferred(ranked, [{ winner_id: 'c', loser_id: 'a' }])
    expect(ids(placed)).toBe('bcad')
    expect(placed[2]?.combined).toBe(0.8)
  })
  it('change nothing where the winner stands above, or is not there', () => {
    expect(ids(placeAfterPreferred(ranked, [{ winner_id: 'a', loser_id: 'c' }]))).toBe('abcd')
    expect(ids(placeAfterPreferred(ranked, [{ winner_id: 'x', loser_id: 'a' }]))).toBe('abcd')
  })
})

describe('traces of difficult problems', () => {
  const ranked = Array.from('abcDeF', (id) => ({ id, isDifficult: id !== id.toLowerCase() }))
  it.each([
    [3, 2, 'aDFbce'],
    [3, 1, 'abDceF'],
    [3, 0, 'abcDeF'],
    [4, 1, 'abcDeF'],
    [1, 2, 'abcDeF'],
    [9, 2, 'abcDeF'],
  ])('with room for %i get the last of %i places', (limit, places, expected) => {
    expect(ids(reserveForDifficult(ranked, limit, places))).toBe(expected)
  })
})
