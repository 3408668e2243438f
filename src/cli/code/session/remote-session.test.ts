import { describe, expect, it } from 'vitest'
import { parsePathPrefix } from './remote-session.ts'

describe('a path prefix', () => {
  const prefix = parsePathPrefix('/home/me/src:/projects')

  it('names folders as the server does, and back', () => {
    expect(prefix.toServer('/home/me/src/shop')).toBe('/projects/shop')
    expect(prefix.toServer('/home/me/srcs')).toBe('/home/me/srcs')
    expect(prefix.fromServer([{ path: '/projects/shop', n: 1, deep: ['/projects'] }])).toEqual([
      { path: '/home/me/src/shop', n: 1, deep: ['/home/me/src'] },
    ])
  })

  it('is not needed', () => {
    expect(parsePathPrefix(undefined).toServer('/a')).toBe('/a')
  })

  it.each(['/a', 'a:b', '/a:/b:/c'])('says what %s should have been', (text) => {
    expect(() => parsePathPrefix(text)).toThrow('must be /path/here:/path/on/the/server')
  })
})
