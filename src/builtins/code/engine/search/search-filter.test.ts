import { expect, it } from 'vitest'
import { runWithin } from '../../../../base/flow/run-within.ts'
import type { CodeSymbol } from '../../code-symbol.ts'
import { compileSymbolName } from './search-filter.ts'

function aSymbol(name: string, scope = ''): CodeSymbol {
  return { name, scope, type: 'method', startLine: 1, endLine: 2, signature: '' }
}

it.each([
  ['get*', 'getUser', true],
  ['GET*', 'getUser', true],
  ['get?', 'getUser', false],
  ['User.get*', 'getUser', true],
  ['getUser', 'getUsers', false],
])('the pattern %s on User.%s gives %s', (pattern, name, expected) => {
  expect(compileSymbolName(pattern)(aSymbol(name, 'User'))).toBe(expected)
})

it('answers for a pattern made to back up', () => {
  const hostile = `${'*a'.repeat(24)}*b`
  const found = (name: string) => runWithin(5000, () => compileSymbolName(hostile)(aSymbol(name)))
  expect(found(`${'a'.repeat(60)}c`)).toBe(false)
  expect(found(`${'a'.repeat(60)}b`)).toBe(true)
})
