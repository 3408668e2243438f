import { describe, expect, it } from 'vitest'
import { findSignsOfAge } from './find-signs-of-age.ts'

const NOW = Date.parse('2026-08-01T00:00:00Z')

describe('signs of age', () => {
  it.each([
    'npm install react@17',
    'pip install "django==3.2.1"',
    'numpy~=1.24',
    'FROM node:16-alpine',
    '{"dependencies": {"next": "^12.1.0"}}',
    'yarn add vue@^2.6',
    'SQLAlchemy == 1.4',
    'npm i @angular/core@9',
    'It does not exist as of 2023.',
    'As of June 2024, the flag is experimental',
  ])('are seen in %s', (text) => {
    expect(findSignsOfAge(text, NOW)).toHaveLength(1)
  })

  it.each([
    'npm install react@19.1',
    'react@^99',
    'Use react: 3 hooks and 2 effects',
    'preact@10 is not that one, nor is my-react@1',
    'an unknown-library==0.1',
    'as of 2026 it is there',
    'as of version 2023',
    'http://localhost:3000/node:99',
    'since 2019',
  ])('are not seen in %s', (text) => {
    expect(findSignsOfAge(text, NOW)).toEqual([])
  })

  it('say what they are, each once', () => {
    const signs = findSignsOfAge('react@17 and react@17, as of 2022', NOW)
    expect(signs).toEqual(['pins react@17, and react is at 19 or later', 'says “as of 2022”'])
  })

  it('come with the years', () => {
    const text = 'as of 2027'
    expect(findSignsOfAge(text, NOW)).toEqual([])
    expect(findSignsOfAge(text, Date.parse('2029-01-01T00:00:00Z'))).toHaveLength(1)
  })

  it('do not take long to look for, whatever the text', () => {
    const started = performance.now()
    findSignsOfAge(`${'a-'.repeat(20_000)}${'@'.repeat(5_000)}${'as of '.repeat(5_000)}`, NOW)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
