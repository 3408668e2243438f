import { expect, it } from 'vitest'
import { fileRole } from './file-role.ts'

it.each([
  ['src/retry.ts', 'source'],
  ['lib/test_functions.bash', 'source'],
  ['src/contest.go', 'source'],
  ['src/attest/index.go', 'source'],
  ['mux_test.go', 'test'],
  ['src/a.test.ts', 'test'],
  ['test/a.rb', 'test'],
  ['App.Tests/Run.cs', 'test'],
  ['src/FooTest.java', 'test'],
  ['tests/conftest.py', 'test'],
  ['_examples/rest/main.go', 'example'],
  ['fastapi/_compat/v2.py', 'legacy'],
  ['types/index.d.ts', 'declaration'],
  ['pkg/__init__.py', 'package'],
  ['src/index.ts', 'module'],
  ['axum/src/extract/mod.rs', 'module'],
  ['README.md', 'prose'],
  ['package.json', 'data'],
])('takes %s for %s', (path, role) => {
  expect(fileRole(path)).toBe(role)
})
