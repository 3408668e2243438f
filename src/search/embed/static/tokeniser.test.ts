import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Tokeniser } from './tokeniser.ts'

const MEGABYTE = 2 ** 20
const TEXTS = 24

it('remembers the words of a text and not the text', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const tokeniser = new Tokeniser(new Map([['remember', 1]]))
  const filler = '. '.repeat(MEGABYTE / 2)
  const read = (letter: number) => {
    const word = `remember${String.fromCodePoint(97 + letter).repeat(12)}`
    // Read from bytes, as files are: a text put together in memory is kept in another way.
    return tokeniser.tokens(Buffer.from(`${word} ${filler}`).toString(), 8)
  }
  read(TEXTS)
  const before = used()
  for (let letter = 0; letter < TEXTS; letter++) expect(read(letter)).toEqual([1])
  expect(used() - before).toBeLessThan((TEXTS / 4) * MEGABYTE)
})
