import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

it('leaves plain words as they are', () => {
  expect(['server-1', '~/a/b.json', 'x@1.2'].map(shellWord)).toEqual([
    'server-1',
    '~/a/b.json',
    'x@1.2',
  ])
})

it.each(['/home/me/My Project', "it's", '日本', '$HOME', 'a;b', '', '*'])(
  'a shell reads %j as one word',
  (word) => {
    const read = execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' })
    expect(read).toBe(word)
  },
)
