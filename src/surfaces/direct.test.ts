import { expect, it } from 'vitest'
import { autoSurface } from './direct.ts'

const tools = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `tool_${i}`, description: 'Does one thing.' }))

it('shows few tools directly and lets an agent search among many', () => {
  expect(autoSurface(tools(3))).toBe('direct')
  expect(autoSurface(tools(500))).toBe('discover')
})
