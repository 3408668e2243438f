import { expect, it } from 'vitest'
import { matchingLines } from './matching-lines.ts'

const TEXT = `class ShoppingCart {
  add(item: Item) {
    this.items.push(item)
  }
  totalPrice() {
    return sum(this.items, (item) => item.price)
  }
}`

const lines = (asked: string, mode = 'ranked') => [...matchingLines(TEXT, asked, mode)]

it('marks the lines with the most words, whatever their notation', () => {
  expect(lines('total_price')).toEqual([4])
  expect(lines('how is the total price computed')).toEqual([4])
  expect(lines('ITEM')).toEqual([1, 2, 5])
})

it('marks what a text or a pattern matches, and nothing where nothing does', () => {
  expect(lines('push(item)', 'exact')).toEqual([2])
  expect(lines(String.raw`^\s*(add|total)`, 'regex')).toEqual([1, 4])
  expect(lines('(', 'regex')).toEqual([])
  expect(lines('harbour')).toEqual([])
})
