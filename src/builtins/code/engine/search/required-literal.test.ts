import { describe, expect, it } from 'vitest'
import { requiredLiteral } from './required-literal.ts'

describe('requiredLiteral', () => {
  it.each([
    ['func New\\w+Controller\\(', 'Controller('],
    ['TODO', 'TODO'],
    ['return\\s+null', 'return'],
    ['colou?r', 'colo'],
    ['ab*cd', 'cd'],
    ['go+gl', 'go'],
    ['x{2}yz', 'yz'],
    ['x{0,3}yz', 'yz'],
    ['(foo)?bar', 'bar'],
    ['[abc]def', 'def'],
    ['\\bfetch\\b', 'fetch'],
    ['a\\.b\\.c', 'a.b.c'],
    ['\\u0041bcd', 'bcd'],
    ['(?<name>x)hello\\k<name>', 'hello'],
  ])('%s needs %s', (pattern, literal) => {
    expect(requiredLiteral(pattern)).toBe(literal)
  })

  it.each(['foo|bar', '.*', '\\d+', 'a?', '(foo|bar)', '[xyz]+', 'a|', ''])(
    '%s needs nothing for certain',
    (pattern) => {
      expect(requiredLiteral(pattern)).toBeUndefined()
    },
  )

  it('is part of every match, whatever the pattern', () => {
    const texts = ['fooobar', 'fbar', 'a.b', 'xyyz(1)', 'New42Controller(', 'colour', 'color']
    const parts = [
      'fo*',
      'o+',
      'b?ar',
      'a\\.b',
      'x',
      'y{1,2}',
      'z\\(',
      '\\d',
      'New',
      '\\w+',
      'colou?r',
      '(er\\()?',
    ]
    const wrong = parts
      .flatMap((one) => parts.map((two) => one + two))
      .flatMap((pattern) =>
        texts
          .flatMap((text) => [...text.matchAll(new RegExp(pattern, 'g'))])
          .filter(([match]) => !match.includes(requiredLiteral(pattern) ?? ''))
          .map(([match]) => `${pattern} ${match}`),
      )
    expect(wrong).toEqual([])
  })
})
