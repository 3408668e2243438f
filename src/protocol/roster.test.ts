import { expect, it } from 'vitest'
import { Roster } from './roster.ts'

it('knows who is there, and gives seats away again', () => {
  const roster = new Roster<string>()
  const first = roster.enter('first')
  const second = roster.enter('second')
  expect(roster.size).toBe(2)
  roster.leave(first)
  expect(roster.present()).toEqual(['second'])
  expect(roster.enter('third')).toBe(first)
  roster.leave(second)
  expect(roster.size).toBe(1)
  expect(roster.present()).toEqual(['third'])
})
