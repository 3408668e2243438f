import { describe, expect, it } from 'vitest'
import { didYouMean, nearest } from './nearest.ts'

describe('nearest', () => {
  it.each([
    ['ecko', 'echo'],
    ['ehco', 'echo'],
    ['ECHO', 'echo'],
    ['read', 'read_file'],
    ['get_wether', 'get_weather'],
    ['list_server', 'list_servers'],
  ])('takes %s for %s', (wrong, right) => {
    expect(nearest(wrong, ['echo', 'read_file', 'get_weather', 'list_servers'])[0]).toBe(right)
  })

  it('names nothing when nothing is near', () => {
    expect(nearest('zzzzzz', ['echo', 'read_file'])).toEqual([])
    expect(didYouMean('zzzzzz', ['echo'])).toBeUndefined()
    expect(nearest('', ['echo'])).toEqual([])
  })

  it('allows as many edits as its limit says', () => {
    expect(nearest('abcdef', ['axyzef'])).toEqual([])
    expect(nearest('abcdef', ['axyzef'], { limit: 3 })).toEqual(['axyzef'])
  })

  it('names the best first, and not too many', () => {
    const names = ['tool_d', 'tool_c', 'tool_b', 'tool_a', 'tool_ab']
    expect(nearest('tool_bb', names)).toEqual(['tool_ab', 'tool_b', 'tool_a'])
    expect(nearest('tool_bb', names, { most: 1 })).toEqual(['tool_ab'])
    expect(didYouMean('tool_bb', names)).toBe("Did you mean 'tool_ab' or 'tool_b' or 'tool_a'?")
  })
})
