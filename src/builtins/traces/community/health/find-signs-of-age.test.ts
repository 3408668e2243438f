import { describe, expect, it } from 'vitest'
import { findSignsOfAge } from './find-signs-of-age.ts'

const NOW = Date.parse('2026-08-01T00:00:00Z')

describe('signs of age', () => {
  it.each(['It does not exist as of 2023.', 'As of June 2024, the flag is experimental'])(
    'are seen in %s',
    (text) => {
      expect(findSignsOfAge(text, NOW)).toHaveLength(1)
    },
  )

  it.each(['as of 2026 it is there', 'as of version 2023', 'since 2019'])(
    'are not seen in %s',
    (text) => {
      expect(findSignsOfAge(text, NOW)).toEqual([])
    },
  )

  it('say what they are, each once', () => {
    const signs = findSignsOfAge('as of 2022, and as of 2022 again', NOW)
    expect(signs).toEqual(['says “as of 2022”'])
  })

  it('come with the years', () => {
    const text = 'as of 2027'
    expect(findSignsOfAge(text, NOW)).toEqual([])
    expect(findSignsOfAge(text, Date.parse('2029-01-01T00:00:00Z'))).toHaveLength(1)
  })

  it('do not take long to look for, whatever the text', () => {
    const started = performance.now()
    findSignsOfAge('as of '.repeat(10_000), NOW)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
