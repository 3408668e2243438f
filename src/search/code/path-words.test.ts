import { expect, it } from 'vitest'
import { pathWords } from './path-words.ts'

it('reads the words of a path', () => {
  expect(pathWords('src/http/retry-policy.test.ts')).toEqual({
    name: 'retry-policy',
    nameStems: ['retri', 'polici'],
    folderStems: ['src', 'http'],
    depth: 3,
    whole: 'src/http/retry-policy.ts',
  })
})

it('calls a file that stands for its folder by the name of the folder', () => {
  expect(pathWords('src/extract/mod.rs')).toMatchObject({ name: 'extract', folderStems: ['src'] })
  expect(pathWords('index.ts').name).toBe('index')
})
