import { describe, expect, it } from 'vitest'
import { type ProjectClues, detectProject } from './project.ts'

const detect = (clues: Partial<ProjectClues>) =>
  detectProject({
    roots: undefined,
    query: undefined,
    env: {},
    cwd: '/cwd',
    isFolder: (path) => !path.includes('missing'),
    ...clues,
  })

const roots = (...uris: unknown[]) => ({ roots: uris.map((uri) => ({ uri })) })

describe('detectProject', () => {
  const everything = {
    roots: roots('file:///srv/my%20project'),
    query: '/query',
    env: { PORTOLAN_PROJECT: '/env' },
  }

  it('believes roots, then the address, then the environment, then where it stands', () => {
    expect(detect(everything)).toEqual({ path: '/srv/my project', source: 'roots' })
    expect(detect({ ...everything, roots: undefined })).toEqual({
      path: '/query',
      source: 'query_param',
    })
    expect(detect({ env: everything.env })).toEqual({ path: '/env', source: 'env' })
    expect(detect({})).toEqual({ path: '/cwd', source: 'cwd' })
  })

  it('passes over what does not exist or is no file', () => {
    const mixed = roots('https://example.com', 7, 'file:///missing', 'file://%zz', 'file:///real')
    expect(detect({ roots: mixed })).toEqual({ path: '/real', source: 'roots' })
    expect(detect({ roots: { roots: 'x' }, query: '/missing' })).toMatchObject({ source: 'cwd' })
    expect(detect({ query: 'relative' })).toMatchObject({ source: 'cwd' })
    expect(detect({ roots: roots('FILE:///real') })).toEqual({ path: '/real', source: 'roots' })
    const env = { PORTOLAN_PROJECT: '/other' }
    expect(detect({ env })).toEqual({ path: '/other', source: 'env' })
  })
})
