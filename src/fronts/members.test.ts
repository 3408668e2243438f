import { expect, it } from 'vitest'
import { Members } from './members.ts'

it('holds its members and reuses free places', () => {
  const members = new Members<string>()
  const first = members.add('first')
  const second = members.add('second')
  expect(members.size).toBe(2)
  members.remove(first)
  expect(members.values()).toEqual(['second'])
  expect(members.add('third')).toBe(first)
  members.remove(second)
  expect(members.size).toBe(1)
  expect(members.values()).toEqual(['third'])
})
