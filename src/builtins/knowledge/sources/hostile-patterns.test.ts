import { expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { parseRobots } from './robots.ts'
import { compileSelection } from './walk-folder.ts'

const HOSTILE = `${'*a'.repeat(24)}*b`
const NAME = 'a'.repeat(100)

it('selects files by a pattern made to back up', () => {
  const paths = [`docs/${NAME}c`, `docs/${NAME}b`]
  const selected = runWithin(5000, () => paths.map(compileSelection({ include: [HOSTILE] })))
  expect(selected).toEqual([false, true])
})

it('takes what is included and not excluded, and everything where nothing is said', () => {
  const isSelected = compileSelection({ include: ['docs/**'], exclude: ['*.txt'] })
  expect(['docs/a.md', 'docs/x/a.txt', 'a.md'].map(isSelected)).toEqual([true, false, false])
  expect(compileSelection({})('a.md')).toBe(true)
})

it('reads a robots.txt whose rules and lines are made to take for ever', () => {
  const rules = [`Disallow: /${HOSTILE}$`, `Disallow: /x${' '.repeat(300_000)}y`]
  const text = ['User-agent: *', ...rules].join('\n')
  const allowed = (path: string) =>
    runWithin(5000, () => parseRobots(text, 'portolan').isAllowed(`https://site.example/${path}`))
  expect(allowed(`${NAME}c`)).toBe(true)
  expect(allowed(`${NAME}b`)).toBe(false)
})

it('reads robots.txt as RFC 9309 says: stars, the end, comments, the longest rule', () => {
  const text = `User-agent: *
Disallow: /private/*.pdf$ # no documents
Disallow: /shop
Allow: /shop/open
Disallow: /a.c?x=[1]`
  const robots = parseRobots(text, 'portolan')
  const allowed = (path: string) => robots.isAllowed(`https://site.example${path}`)
  expect(allowed('/private/x/a.pdf')).toBe(false)
  expect(allowed('/private/x/a.pdf?y')).toBe(true)
  expect(allowed('/shop/closed')).toBe(false)
  expect(allowed('/shop/open/now')).toBe(true)
  expect(allowed('/a.c?x=[1]&y')).toBe(false)
  expect(allowed('/abc?x=1')).toBe(true)
})
