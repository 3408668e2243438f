import { describe, expect, it } from 'vitest'
import { aTracesService } from '../../../../../test/support/a-traces-service.ts'
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
  it('take the place of a trace that fits only if they fit themselves', async () => {
    const traces = await aTracesService()
    const author = await traces.account()
    const pump = await author.contribute({ title: 'Whirligig stalls on drain: prime its pump' })
    const valve = await author.contribute({ title: 'Whirligig stalls on drain: replace its valve' })
    const far = await author.contribute({ title: 'The drain of another machine' })
    await traces.storage.db
      .updateTable('traces')
      .set({ somatic_intensity: 0.9 })
      .where('id', '=', far)
      .execute()
    const asked = { q: 'whirligig stalls on drain', context: { language: 'python' } }
    const found = async (limit: number) => {
      const { body } = await author.post('/traces/search', { ...asked, limit })
      return body.results.map(({ id, weak }: { id: string; weak?: true }) => [id, weak])
    }
    await expect.poll(async () => found(3)).toContainEqual([far, true])
    expect((await found(2)).map(([id]: [string]) => id).toSorted()).toEqual(
      [pump, valve].toSorted(),
    )
  })

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
