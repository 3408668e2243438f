import { expect, it } from 'vitest'
import { drawLine } from './draw.tsx'

const PLOT = { width: 100, height: 10, top: 10, count: 6 }

function drawn(values: readonly (number | null)[]): string {
  return JSON.stringify(drawLine({ name: 'p95', tint: 'sea', values }, PLOT))
}

it('stops a line where there is no value, and begins it again after the gap', () => {
  expect(drawn([1, 2, null, null, 3, 4])).toContain('"d":"M0 9L20 8M80 7L100 6"')
  expect(drawn([1, 2, 3, 4, 5, 6])).toContain('"d":"M0 9L20 8L40 7L60 6L80 5L100 4"')
})
